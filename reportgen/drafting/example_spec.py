"""A spec to start from without any files."""

EXAMPLE = """\
# An evaluation by reportgen. Build it with: reportgen build reportgen.toml
# Every key is explained in the schema above and by `reportgen schema`.

title = "E-negotiation outcomes"

[task]
kind = "binary"                      # binary | multiclass | regression
positive = "success"                 # the class that is looked for
classes = ["success", "failure"]     # the order in tables and matrices

# Each classifier is known by its predictions, or by its counts, as here:
# rows are the truth, columns what was predicted, both in the order of `classes`.
[[classifiers]]
name = "SVM"
confusion = [[1242, 189], [390, 740]]

[[classifiers]]
name = "Naive Bayes"
confusion = [[1108, 323], [272, 858]]

# With predictions in files, name the columns once and the files per classifier
# (`reportgen init predictions.csv` writes this part for you):
#
# [data]
# id = "case"
# truth = "outcome"
# prediction = "predicted"
#
# [[classifiers]]
# name = "SVM"
# predictions = "svm.csv"

[measures]
show = ["traditional", "discriminant"]   # `reportgen measures` lists names and groups

[output]
formats = ["html", "pdf", "json"]        # also csv, parquet, latex, markdown
"""


def example_spec() -> str:
    """Return an example that builds as it is."""
    return EXAMPLE
