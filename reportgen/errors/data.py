"""Error codes of input data: E2xx."""

from reportgen.errors.diagnostics import ErrorCode

FILE_UNREADABLE = ErrorCode(
    "E200",
    "cannot read an input file",
    "A file named in the spec does not exist, is a folder, or has no read permission. Paths are"
    " relative to the folder of the spec.",
)
FILE_FORMAT_MISMATCH = ErrorCode(
    "E201",
    "file format does not match the file name",
    "Predictions are read from CSV, JSON, Parquet, Arrow, workbooks (Excel, OpenDocument), SQLite"
    " and DuckDB, detected by their first bytes and then by their names. The message has the actual"
    " format; convert or rename the file.",
)
FILE_CORRUPT = ErrorCode(
    "E202",
    "corrupt file",
    "The file starts like a known format but cannot be read to its end, for example after an"
    " interrupted download. Create it again; incomplete files are never evaluated.",
)
NOT_UTF8 = ErrorCode(
    "E203",
    "text file is not UTF-8",
    "CSV and JSON are read as UTF-8, with or without a byte order mark. Another encoding of a CSV"
    " file is named by `encoding` in [data] and never guessed: a wrong guess would change labels"
    " and ids. NUL bytes are errors.",
)
NO_ROWS = ErrorCode(
    "E204",
    "file has no predictions",
    "The file is empty or has only a header.",
)
MALFORMED_ROW = ErrorCode(
    "E205",
    "malformed row",
    "Every row of a CSV file has as many fields as its header, and every quote is closed; every"
    " line of JSON Lines is one object. A malformed row may have values in the wrong columns, so"
    " the file is not read.",
)
COLUMN_MISSING = ErrorCode(
    "E206",
    "missing column",
    "The spec names a column that the file does not have. Column names are set in [data] and"
    " may be overridden for each classifier; they are case-sensitive, including spaces.",
)
COLUMN_AMBIGUOUS = ErrorCode(
    "E207",
    "duplicate column name",
    "The spec names a column that occurs more than once in the file. Rename one of them.",
)
VALUE_MISSING = ErrorCode(
    "E208",
    "missing value",
    "A case without an id, fold, truth, prediction or score cannot be evaluated, and leaving it"
    " out silently would change the results. Fill in the value or remove the row; for empty"
    ' predictions `missing` in [data] says what they count as: "wrong", "drop" or a class. `NA`,'
    " `N/A`, `NaN`, `None` and `null` are read as missing labels; if one of them is the name of a"
    " class, list it in `classes` of [task].",
)
NOT_A_NUMBER = ErrorCode(
    "E209",
    "not a number",
    "Scores, probabilities and the values of a regression are plain decimal numbers such as 0.93"
    " or 1e-5, without percent signs, decimal commas, spaces or thousands separators.",
)
NOT_FINITE = ErrorCode(
    "E210",
    "number is not finite",
    "NaN and infinity cannot be ranked or averaged: one of them would make every result of the"
    " column undefined. Fix their source, or remove the rows.",
)
NOT_A_PROBABILITY = ErrorCode(
    "E211",
    "not a probability",
    "The columns of `probabilities` are between 0 and 1 and add up to 1 (within 0.001) in each row;"
    " a `score` is between 0 and 1 if its `score_kind` is probability. Divide percentages by 100;"
    ' for other scores set `score_kind = "ranking"`.',
)
COLUMN_TYPE = ErrorCode(
    "E212",
    "unsupported column type",
    "Labels, ids and folds are text, integers or booleans; scores are numbers. Lists, structs and"
    " binary columns are not supported.",
)
UNKNOWN_LABEL = ErrorCode(
    "E213",
    "label is not one of the classes",
    "`classes` in [task] lists every class. The file has another label: a typo, another spelling of"
    " a class, or a class missing from the list.",
)
TOO_MANY_LABELS = ErrorCode(
    "E214",
    "too many labels",
    "A binary task has two labels over all true and predicted classes, and a multiclass task at"
    " most 1000. Different spellings of a class count as different labels.",
)
POSITIVE_CLASS_ABSENT = ErrorCode(
    "E215",
    "positive class does not occur",
    "The label of `positive` in [task] is neither a true nor a predicted class in any file. Labels"
    " are case-sensitive; 1.0 is read as 1 and True as true.",
)
NEGATIVE_CLASS_UNKNOWN = ErrorCode(
    "E216",
    "negative class unknown",
    "Only one label occurs in the files, so the name of the negative class is unknown."
    ' List both in the spec: `classes = ["yes", "no"]` in [task].',
)
NO_PREDICTION = ErrorCode(
    "E217",
    "no source of predictions",
    "Predictions are read from the column `prediction` of [data], or derived from the column"
    " `score` and `threshold`: score ≥ threshold predicts the positive class.",
)
NO_FILES_MATCH = ErrorCode(
    "E218",
    "pattern matches no file",
    "The pattern in `predictions` matches no file, relative to the folder of the spec. `*` matches"
    " within a folder, `**` across folders.",
)
CONFLICTING_CASES = ErrorCode(
    "E219",
    "conflicting values of a case",
    "One id has two true classes, or one classifier has two different predictions or scores for it."
    " A typical cause is an id used for two cases. In repeated cross-validation a case has a"
    " prediction in each repetition: then name the column that distinguishes them in `fold`.",
)
CASES_DIFFER = ErrorCode(
    "E220",
    "classifiers have different cases",
    '`cases = "identical"` in [data] requires that all classifiers have the same ids. With "common"'
    " they are compared on the cases they share, and the report states the number of others.",
)
NO_COMMON_CASES = ErrorCode(
    "E221",
    "classifiers have no common cases",
    "No id occurs in the files of all classifiers. Ids are compared as text: `7`, `07` and"
    " `7.0` are three different ids.",
)
ROWS_DIFFER = ErrorCode(
    "E222",
    "rows cannot be matched by their order",
    "Without an `id` column the n-th row of every classifier is the same case, so all files"
    " need the same number of rows and the same truth in each. Name an id column if the files"
    " have one.",
)
INCONSISTENT_JOIN_KEYS = ErrorCode(
    "E223",
    "ids for only some classifiers",
    "Cases are matched by id or by row order, for all classifiers alike; a separate file of"
    " labels is always matched by id. Set `id` in [data], or for each classifier.",
)
INPUT_CHANGED = ErrorCode(
    "E224",
    "input changed while it was read",
    "The hash of the file after reading differs from the one before, so the results would"
    " belong to neither version. Build again when the file is complete.",
)
PINNED_HASH_DIFFERS = ErrorCode(
    "E251",
    "input differs from its pinned hash",
    "The spec has the SHA-256 of the file in [sha256], and the file has another: it was replaced,"
    " changed or damaged since `reportgen check --pin`. Restore the file, or pin the new content"
    " with `reportgen check --pin` if the change is intended.",
)
FOLDS_DIFFER = ErrorCode(
    "E225",
    "classifiers have different folds",
    "Where an id occurs in several folds, as in repeated cross-validation, predictions are matched"
    " by id and fold. With different splits most of them do not match. Use the same folds for all"
    " classifiers, or name a column in `fold` that is the same for all, such as the number of the"
    " repetition; remove `fold` if ids are unique without it.",
)
COLUMN_ROLES_AMBIGUOUS = ErrorCode(
    "E250",
    "ambiguous column roles",
    "`reportgen init FILE` infers the roles of columns from their names and contents. Names that a"
    " spec cannot hold, such as those with invisible characters, have to be changed in the file.",
)
DUPLICATE_FILE = ErrorCode(
    "E226",
    "duplicate file",
    "The `predictions` of a classifier name the same file twice, for example by its path and by a"
    " pattern. Each of its cases would count twice. Name every file once.",
)
TOOL_FORMAT_MISMATCH = ErrorCode(
    "E227",
    "file is not the output of the tool in `format`",
    "`format` in [data] names the tool that wrote the predictions, which determines the columns"
    " (docs/formats.md). The file lacks them. Name the columns explicitly, such as `truth` and"
    " `prediction`, which override the format; remove `format` if the file is a plain table; or"
    " save the predictions as in docs/formats.md.",
)
MULTIPLE_TUNING_VALUES = ErrorCode(
    "E228",
    "predictions of several tuning values",
    "caret's `model$pred` has a prediction for each tuning value unless"
    ' `trainControl(savePredictions = "final")` is set. Each case would count several times. Save'
    " the final predictions only, or filter the rows of one setting with `where = {mtry = 2}` in"
    " [data].",
)
REMOTE_UNREADABLE = ErrorCode(
    "E229",
    "cannot read a remote file",
    "The URI in the spec could not be read: it does not exist, access was denied, or the server is"
    " unreachable. Credentials come from environment variables only (docs/remote.md). A failed"
    " request is retried twice, within ten seconds.",
)
DUPLICATE_IDS = ErrorCode(
    "E230",
    "duplicate ids",
    "On Spark an id occurs once in the files of a classifier, and once among the labels. Remove"
    " duplicate rows when the files are written; in repeated cross-validation name the repetition"
    " with `repeat` or the fold with `fold`, in which an id then occurs once.",
)
INVALID_COUNT = ErrorCode(
    "E231",
    "invalid count",
    "The column of `count` says for how many identical cases a row stands: a whole number, 0 or"
    " more. Rows with 0 are ignored. Fractions are sampling weights, which `weight` names.",
)
INVALID_WEIGHT = ErrorCode(
    "E232",
    "invalid weight",
    "A sampling weight is a finite number, 0 or more, and not all weights are 0.",
)
ATTRIBUTES_DIFFER = ErrorCode(
    "E233",
    "count, weight, cluster or segment differs between classifiers",
    "These columns describe the case, so they have the same value in the files of all classifiers."
    " A typical cause is rows matched by order although the files are sorted differently: name an"
    " `id`.",
)
TOO_MANY_CASES = ErrorCode(
    "E234",
    "too many cases for scores",
    "Rows with scores, probabilities or numeric predictions are repeated in memory as often as"
    " their `count` says. Labels alone are only added up, for any count.",
)
TOO_MANY_SEGMENTS = ErrorCode(
    "E235",
    "too many segments",
    "Each value of a column of [[segments]] is a group of cases that is evaluated separately."
    " A number or an id is no such column: write its groups, such as age 18 to 39, into a column.",
)
MODEL_UNKNOWN = ErrorCode(
    "E240",
    "model not in the file",
    "With `model` in [data] the rows of all classifiers are in one file, and the column names the"
    " classifier of each row. A table of [[classifiers]] without files of its own is a value of"
    " that column, by its `model` or else its `name`.",
)
POOLED_CASES = ErrorCode(
    "E241",
    "cases would be counted more than once",
    "The rows of a file differ by a column that the spec does not name: a model, a repetition of"
    " cross-validation or an id that occurs several times. Counted as separate cases they would"
    " mix classifiers, or make every interval too narrow. The help text has the line to add; a"
    " column that is none of these is named in [[segments]] or left out of the file.",
)
LABEL_SPELLINGS = ErrorCode(
    "E242",
    "labels that differ only in case or blanks",
    "`yes`, `Yes` and ` yes` would be three classes, and every report of them wrong. `map` in"
    " [data] brings them to one spelling. Classes that really differ in nothing else are listed in"
    " `classes` of [task].",
)
LABELS_DISJOINT = ErrorCode(
    "E243",
    "truth and predictions have no label in common",
    "The labels of the truth and those of the predictions are spelled differently throughout, as"
    " 0 and 1 are and `no` and `yes`, so that no prediction could ever be right. `map` in [data]"
    " has the class of each label.",
)
NESTED_LABEL = ErrorCode(
    "E244",
    "list or object where a label belongs",
    "A label is one text, number or boolean. A field of an object is named by its path, as in"
    " `judge.verdict`. A list of labels for one case belongs to a multilabel task.",
)
TABLE_UNKNOWN = ErrorCode(
    "E245",
    "which sheet or table to read",
    "A workbook with several sheets needs `sheet` in [data], and a database with several tables"
    " needs `table`. A view is a table as well: it selects rows and columns by a query.",
)
READER_MISSING = ErrorCode(
    "E246",
    "package for a file format is not installed",
    "Workbooks, DuckDB and PostgreSQL are read with packages that are installed as extras of"
    " reportgen-eval: `excel`, `duckdb` and `postgres`. SQLite needs none.",
)
UNPACKED_TOO_LARGE = ErrorCode(
    "E247",
    "file unpacks to too much",
    "Packed files are checked before they are unpacked, so that a small one cannot take all memory:"
    " workbooks and other archives may unpack to 1 GiB and have 50 million cells, counted from"
    " the first to the last one, and zstd may unpack to a thousand times the size of the file.",
)
