"""Faults of input data: E2xx."""

from reportgen.errors.diagnostics import ErrorCode

FILE_UNREADABLE = ErrorCode(
    "E200",
    "an input file cannot be read",
    "The file the spec names does not exist, is a folder, or may not be read. Paths are"
    " relative to the folder of the spec.",
)
FILE_FORMAT_MISMATCH = ErrorCode(
    "E201",
    "a file holds another format than its name says",
    "Predictions are read from CSV, JSON Lines, Parquet and Arrow, told apart by their first"
    " bytes and then by their names. The message says what the file really holds; convert or"
    " rename it.",
)
FILE_CORRUPT = ErrorCode(
    "E202",
    "a file is damaged",
    "The file begins like a known format but cannot be read to its end, as after an interrupted"
    " copy or download. Make it again; reportgen never reports on the part that can still be"
    " read.",
)
NOT_UTF8 = ErrorCode(
    "E203",
    "a text file is not UTF-8",
    "CSV and JSON Lines are read as UTF-8, with or without a byte order mark. UTF-16, Latin-1"
    " and NUL bytes are refused rather than guessed at, since a wrong guess changes labels and"
    " ids. `iconv -f LATIN1 -t UTF-8` converts a file.",
)
NO_ROWS = ErrorCode(
    "E204",
    "a file holds no predictions",
    "The file is empty or holds a header and nothing else. A report on no cases would say nothing.",
)
MALFORMED_ROW = ErrorCode(
    "E205",
    "a row does not have the shape of the file",
    "Every row of a CSV file has as many fields as its header, and every quote is closed; every"
    " line of JSON Lines is one object. A row of another shape may have its values in the wrong"
    " columns, so nothing is read from such a file.",
)
COLUMN_MISSING = ErrorCode(
    "E206",
    "a column is missing",
    "The spec names a column that the file does not have. Column names are set in `[data]` and"
    " may be overridden for each classifier; they are compared letter by letter, spaces"
    " included.",
)
COLUMN_AMBIGUOUS = ErrorCode(
    "E207",
    "two columns have the same name",
    "The spec names a column that occurs more than once in the file, so it is not certain which"
    " one is meant. Rename one of them.",
)
VALUE_MISSING = ErrorCode(
    "E208",
    "a value is missing",
    "A case without an id, fold, truth, prediction or score cannot be counted, and leaving it"
    " out would change the numbers without saying so. Fill the cell or remove the row. `NA`, `N/A`,"
    " `NaN`, `None` and `null` are how programs write a missing label; if one of them is the name"
    " of a class, list it in `classes` under `[task]`.",
)
NOT_A_NUMBER = ErrorCode(
    "E209",
    "a value is not a number",
    "Scores, probabilities and the values of regression are plain decimal numbers such as 0.93"
    " or 1e-5, without percent signs, decimal commas, spaces or separators of thousands.",
)
NOT_FINITE = ErrorCode(
    "E210",
    "a number is not finite",
    "NaN and infinity cannot be ordered or averaged: one of them would spoil every number made"
    " from the column. Mend whatever wrote them, or remove the rows.",
)
NOT_A_PROBABILITY = ErrorCode(
    "E211",
    "values are not probabilities",
    "The columns named by `probabilities` lie between 0 and 1 and add up to 1 (within 0.001) in"
    " each row; a `score` lies there too if `score_kind` calls it a probability. Divide percentages"
    ' by 100; for scores of another kind write `score_kind = "ranking"`.',
)
COLUMN_TYPE = ErrorCode(
    "E212",
    "a column has a type that cannot be used",
    "Labels, ids and folds are texts, whole numbers or booleans; scores are numbers. Lists,"
    " structures and raw bytes are none of these.",
)
UNKNOWN_LABEL = ErrorCode(
    "E213",
    "a label is not one of the classes",
    "`task.classes` lists every class. The file has a label that is not among them: a"
    " misspelling, another spelling of a class, or a class that the list lacks.",
)
TOO_MANY_LABELS = ErrorCode(
    "E214",
    "there are more labels than the task allows",
    "A binary task has two labels over all truths and predictions, and a multiclass task at"
    " most 1000. Different spellings of one class in different files count as different labels.",
)
POSITIVE_CLASS_ABSENT = ErrorCode(
    "E215",
    "the positive class does not occur",
    "`task.positive` names a label that is neither a truth nor a prediction in any file. It is"
    " compared letter by letter after 1.0 became 1 and True became true.",
)
NEGATIVE_CLASS_UNKNOWN = ErrorCode(
    "E216",
    "the other class is not known",
    "Only one label occurs in the files, so the name of the other class of a binary task cannot"
    ' be known. Write both in the spec: `classes = ["yes", "no"]` under `[task]`.',
)
NO_PREDICTION = ErrorCode(
    "E217",
    "there is nothing to take the prediction from",
    "A prediction is read from the column `data.prediction`, or derived from the column"
    " `data.score` with `data.threshold`: a score at or above the threshold predicts the"
    " positive class.",
)
NO_FILES_MATCH = ErrorCode(
    "E218",
    "a pattern matches no file",
    "The pattern of `predictions` matches no file in the folder of the spec. `*` matches within"
    " a folder, `**` over folders.",
)
CONFLICTING_CASES = ErrorCode(
    "E219",
    "the files contradict each other about a case",
    "One id has two truths, or one classifier has two different predictions or scores for it."
    " Which one is right cannot be known; ids that are used for two cases are the usual cause."
    " In repeated cross-validation one case has a prediction in each repetition: then name the"
    " column that tells them apart with `fold`.",
)
CASES_DIFFER = ErrorCode(
    "E220",
    "the classifiers were not measured on identical cases",
    '`data.cases = "identical"` asks that all classifiers have the same ids. With "common" they'
    " are compared on the cases they share, and the report says how many were left out.",
)
NO_COMMON_CASES = ErrorCode(
    "E221",
    "the classifiers share no case",
    "No id occurs in the files of all classifiers. Ids are compared as text: `7`, `07` and"
    " `7.0` are three different ids.",
)
ROWS_DIFFER = ErrorCode(
    "E222",
    "rows cannot be paired by their order",
    "Without an `id` column the n-th row of every classifier is the same case, so all files"
    " need the same number of rows and the same truth in each. Name an id column if the files"
    " have one.",
)
INCONSISTENT_JOIN_KEYS = ErrorCode(
    "E223",
    "some classifiers have ids and others have none",
    "Cases are matched by id or by row order, for all classifiers alike; a separate file of"
    " labels is always matched by id. Set `id` under `[data]`, or for each classifier.",
)
INPUT_CHANGED = ErrorCode(
    "E224",
    "an input changed while it was read",
    "The hash of the file after reading differs from the one before, so the numbers would"
    " belong to neither version. Build again when nothing writes to the file any more.",
)
FOLDS_DIFFER = ErrorCode(
    "E225",
    "repeated cases are in other folds for each classifier",
    "Where an id occurs in several folds, as in repeated cross-validation, its predictions are"
    " matched by id and fold. If the classifiers were split differently, most of them have no"
    " partner. Use the same folds for all classifiers, or let `fold` name a column that is the"
    " same for all, such as the number of the repetition; take `fold` out if ids are unique"
    " without it.",
)
COLUMN_ROLES_AMBIGUOUS = ErrorCode(
    "E250",
    "it cannot be told which column is what",
    "`reportgen init FILE` looks for a column with the truth (truth, actual, y_true, label, …) and"
    " for predictions (prediction, predicted, y_pred, or columns with the same labels as the"
    " truth). Rename the columns, or start from `reportgen init` and name them in [data]. Numbers"
    " without predictions need a `score` and a `threshold`, which only you can choose.",
)
DUPLICATE_FILE = ErrorCode(
    "E226",
    "a file is named twice",
    "The `predictions` of one classifier name the same file twice, perhaps once by its path and"
    " once by a pattern. Each of its cases would count twice. Name every file once.",
)
TOOL_FORMAT_MISMATCH = ErrorCode(
    "E227",
    "a file does not look like the output of the tool that `format` names",
    "`format` under `[data]` says which tool wrote the predictions, and so which columns hold what"
    " (docs/formats.md has them all). The file lacks what that tool writes. Name the columns"
    " yourself, as `truth` and `prediction`, which count more than those of the format; take"
    " `format` out if the file is a plain table; or save the predictions as docs/formats.md shows.",
)
MULTIPLE_TUNING_VALUES = ErrorCode(
    "E228",
    "the predictions are those of several tuning values",
    "caret's `model$pred` holds a prediction for each tuning value that was tried unless"
    ' `trainControl(savePredictions = "final")` is set. Each case would count several times, with'
    " models that nobody would use. Save the final ones only, or keep the rows of one setting with"
    " `where = {mtry = 2}` under `[data]`.",
)
REMOTE_UNREADABLE = ErrorCode(
    "E229",
    "a file elsewhere cannot be read",
    "The address that the spec names could not be read: it does not exist, access was denied, or"
    " the server cannot be reached. Credentials come from environment variables only;"
    " docs/remote.md names them. A failed request is made again twice, within ten seconds.",
)
DUPLICATE_IDS = ErrorCode(
    "E230",
    "ids are not unique",
    "On Spark an id stands once in the files of a classifier, and once among the labels. Rows that"
    " only repeat another one are best dropped when the files are written; in repeated"
    " cross-validation let the id be made of the case and the repetition.",
)
