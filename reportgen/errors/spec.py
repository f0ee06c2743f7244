"""Error codes of specs (E1xx) and of Python calls (E600 to E602)."""

from __future__ import annotations

from reportgen.errors.diagnostics import ErrorCode

SPEC_UNREADABLE = ErrorCode(
    "E100",
    "cannot read the spec file",
    "The file does not exist, is a folder, has no read permission, or is not UTF-8 text."
    " Check the path; save the file as UTF-8 if it has another encoding.",
)
TOML_SYNTAX = ErrorCode(
    "E101",
    "invalid TOML",
    "The spec has a TOML syntax error. Typical causes are text without quotes, an unclosed bracket"
    " or quote, and two settings on one line."
    ' Correct: `kind = "binary"`.',
)
UNKNOWN_KEY = ErrorCode(
    "E102",
    "unknown key",
    "The spec has an unknown key or table. It is an error because a misspelt setting would silently"
    " have no effect. Typical causes are a typo and a key in the wrong [table]."
    " `reportgen schema` lists every key.",
)
MISSING_KEY = ErrorCode(
    "E103",
    "missing required key",
    "A table lacks a required key. Every spec needs `kind` in [task], also `positive` if the task"
    " is binary, and at least one [[classifiers]] with a `name`."
    ' Correct: `[task]`, `kind = "binary"`, `positive = "success"`.',
)
OUT_OF_RANGE = ErrorCode(
    "E104",
    "value out of range",
    "A number, or the length of a list, is outside the allowed range; `nan`, `inf` and integers"
    " beyond 64 bit are never allowed. A typical cause is a percentage instead of a proportion."
    " Correct: `level = 0.95`.",
)
WRONG_TYPE = ErrorCode(
    "E105",
    "wrong type",
    "The value of a key has the wrong type, such as text for a number. Values are never converted"
    ' silently: `0.5` is a number, `"0.5"` is text.'
    ' Correct: `threshold = 0.5`, `formats = ["html"]`.',
)
DUPLICATE_KEY = ErrorCode(
    "E106",
    "duplicate key",
    "TOML allows each key and each [table] once. Typical causes are a pasted line and"
    " `[classifiers]` instead of `[[classifiers]]`. Keep one of the two.",
)
INVALID_CHOICE = ErrorCode(
    "E107",
    "invalid value: expected one of a fixed set",
    "The key takes one of a fixed set of values. The message has the closest one, or all of them."
    ' Correct: `kind = "multiclass"`, `formats = ["html", "pdf"]`.',
)
UNKNOWN_MEASURE = ErrorCode(
    "E108",
    "unknown measure",
    "The spec names a measure, group of measures or capability that does not exist."
    " `reportgen measures` lists all names, aliases and groups; `f0.5`, `f2` and any `f<beta>`"
    " are names too."
    ' Correct: `show = ["traditional", "f0.5"]`.',
)
MEASURE_NOT_APPLICABLE = ErrorCode(
    "E109",
    "measure not applicable",
    "The measure exists but does not apply to the kind of task, such as `rmse` to classes or"
    " `accuracy` to a regression. Remove it, or correct `kind` in [task]. For `primary` and"
    " `margin` in [comparison]: there is no test of differences in the measure, such as"
    " `average_precision`; for `at_least` in [thresholds] and `require` in [decision]: it has no"
    " value at a single threshold."
    ' Correct for a regression: `show = ["rmse", "mae"]`.',
)
UNKNOWN_CLASSIFIER = ErrorCode(
    "E110",
    "unknown classifier",
    "A baseline, a published value or a gate names a classifier that is not in [[classifiers]]."
    " Names are case-sensitive."
    ' Correct: `baseline = "SVM"` with a classifier of `name = "SVM"`.',
)
DUPLICATE_CLASSIFIER = ErrorCode(
    "E111",
    "duplicate classifier name",
    "Every classifier needs a unique name. A typical cause is a copied [[classifiers]] block."
    ' Correct: `name = "SVM, linear"` and `name = "SVM, radial"`.',
)
INVALID_CONFUSION_MATRIX = ErrorCode(
    "E112",
    "invalid confusion matrix",
    "A confusion matrix has one row per true class and one column per predicted class, in the order"
    " of `classes` in [task], and at least one case."
    " Correct for two classes: `confusion = [[1108, 323], [272, 858]]`.",
)
CLASSIFIER_SOURCE = ErrorCode(
    "E113",
    "a classifier needs exactly one source",
    "The results of a classifier come from prediction files, a confusion matrix, scores per fold or"
    " scores per data set, and from only one of them: two could contradict each other."
    ' Correct: `predictions = "svm.csv"` or `confusion = [[9, 1], [2, 8]]`'
    " or `fold_scores = { accuracy = [0.81, 0.82] }`"
    " or `dataset_scores = { accuracy = { wine = 0.97, iris = 0.95 } }`.",
)
FOLD_SCORE_COUNTS_DIFFER = ErrorCode(
    "E114",
    "different numbers of fold scores",
    "Every measure in `fold_scores` of a classifier has one score per fold, so all lists have the"
    " same length. A typical cause is a score lost in copying."
    " Correct: `fold_scores = { accuracy = [0.81, 0.82], f1 = [0.78, 0.80] }`.",
)
UNKNOWN_CLASS = ErrorCode(
    "E115",
    "unknown class",
    "`positive`, or the `class` of a published value or gate, is not in `classes` of [task]."
    " Names are case-sensitive."
    ' Correct: `classes = ["success", "failure"]`, `positive = "success"`.',
)
NOT_APPLICABLE_TO_TASK = ErrorCode(
    "E116",
    "setting not applicable to the task",
    "The setting applies only to another kind of task: `positive` and `threshold` to binary tasks,"
    " classes and confusion matrices to classification. Remove it, or correct `kind` in [task].",
)
UNSAFE_TEXT = ErrorCode(
    "E117",
    "empty text or invisible characters",
    "Names and titles appear in the report. They must not be empty, and must not contain control"
    " characters or characters that override the text direction, which can disguise a text."
    ' Correct: `name = "SVM"`.',
)
REMOTE_INPUT_NOT_ALLOWED = ErrorCode(
    "E118",
    "remote input not allowed",
    "Files are read over a network only with `remote = true` in [data] or for one classifier, and"
    " only from object stores and Hugging Face (s3, gs, az, abfss and hf), see docs/remote.md."
    " Other URIs, such as http, are not supported: download the file and give its path, relative to"
    " the spec."
    ' Correct: `predictions = "data/svm.parquet"`.',
)
DUPLICATE_VALUE = ErrorCode(
    "E119",
    "duplicate entry",
    "A list of distinct entries has an entry twice: a class, a section, an output format or a"
    " target prevalence; or `fold_scores` or `margin` have one measure under two of its names. Keep"
    " one of them.",
)
PUBLISHED_VALUE_TYPE = ErrorCode(
    "E120",
    "wrong type of published value",
    "The published value of a measure is a number, optionally with `unit`; that of a capability is"
    " a word, without a unit."
    ' Correct: `measure = "accuracy"`, `value = 77.4`, `unit = "%"`, or'
    ' `measure = "predictive_power"`, `value = "superior"`.',
)
REQUIRES_OTHER_KEY = ErrorCode(
    "E122",
    "setting requires another one",
    "The setting requires another one that is missing: `labels` is joined by `id`, `threshold` is"
    " applied to `score`, `confusion` follows the order of `classes`, `unit` belongs to a number,"
    " and measures such as `roc_auc` and `brier` are computed from `score` or `probabilities`."
    ' Correct: `labels = "labels.csv"` with `id = "case"`.',
)
INVALID_FORMAT = ErrorCode(
    "E123",
    "invalid format of a text",
    "The text must follow a pattern: `probabilities` contains {class}, a `cron` expression has five"
    " fields, a `timezone` is a name of the time zone database."
    ' Correct: `probabilities = "p_{class}"`, `cron = "0 6 * * MON"`,'
    ' `timezone = "Europe/Berlin"`.',
)
INVALID_SPEC_NAME = ErrorCode(
    "E124",
    "invalid name of the spec file",
    "The report of `churn.toml` is written to a folder `churn`. `..toml` and `...toml` leave only"
    " dots, which name the output folder itself or its parent. Rename the spec.",
)
DATASET_PLACEHOLDER = ErrorCode(
    "E125",
    "missing or unused placeholder {dataset}",
    "With [[datasets]] every path in `predictions` contains {dataset}, which is replaced by the"
    " name of each data set; without [[datasets]] it has no meaning."
    ' Correct: `[[datasets]]`, `name = "wine"` and `predictions = "data/{dataset}/svm.csv"`.',
)
DATASETS_DIFFER = ErrorCode(
    "E126",
    "classifiers have different data sets",
    "Classifiers are compared data set by data set, so `dataset_scores` of every classifier have"
    " the same measures and the same data sets. A typical cause is a misspelt name or a score lost"
    " in copying."
    " Correct: `dataset_scores = { accuracy = { wine = 0.97, iris = 0.95 } }` for all of them.",
)
NOT_APPLICABLE_TO_DATASETS = ErrorCode(
    "E127",
    "setting not applicable to several data sets",
    "The spec compares classifiers over several data sets. Confusion matrices, fold scores,"
    " published values, prevalences, thresholds and gates apply to a single one. Write a separate"
    " spec for the single data set, or remove the setting.",
)
FOLD_REPEATS = ErrorCode(
    "E128",
    "number of folds is not a multiple of `repeats`",
    "`repeats` in [folds] is the number of repetitions of the cross-validation, so the number of"
    " folds is a multiple of it: 100 folds are 10 repetitions of 10 folds. A typical cause is a"
    " score lost in copying, or the number of folds instead of repetitions."
    " Correct for 100 fold scores: `repeats = 10`.",
)
INVALID_THEME_FILE = ErrorCode(
    "E129",
    "invalid theme file",
    "A logo is an SVG, PNG or JPEG image, a font a TTF, OTF, WOFF or WOFF2 file, `templates` a"
    " folder. They are embedded in every report: local files of at most one megabyte each."
    ' Correct: `[output.theme]`, `logo = "logo.svg"`.',
)
TEMPLATE_ERROR = ErrorCode(
    "E130",
    "invalid template",
    "A file in the folder of `templates` overrides the built-in template of the same name, such as"
    " `cover.html.j2` or `blocks/table.html.j2`; `theme.css` adds rules to the stylesheet."
    " Templates run in a sandbox with the report and the functions of the built-in templates."
    " docs/appearance.md lists them.",
)
INVALID_TEXT_SECTION = ErrorCode(
    "E131",
    "invalid text section",
    'A section of `kind = "text"` has either `text` or a Markdown `file`; sections of other kinds'
    " have neither. Supported are paragraphs, headings, lists, tables, quotes, code and links; HTML"
    " is shown as text; images are not supported."
    ' Correct: `[[sections]]`, `kind = "text"`, `title = "Background"`, `file = "background.md"`.',
)
CREDENTIALS_IN_URI = ErrorCode(
    "E132",
    "credentials in a URI",
    "URIs appear in the report, in manifest.json and in messages, so a user, password or signature"
    " would be visible to every reader. Pass credentials in environment variables"
    " (docs/remote.md). Messages show * in place of possible credentials."
    ' Correct: `predictions = "s3://bucket/run/svm.parquet"`.',
)
NOT_SUPPORTED_BY_ENGINE = ErrorCode(
    "E133",
    "not supported by the engine",
    'With `kind = "spark"` in [engine] Spark reads the files, which must be Parquet or CSV: not'
    " sheets of workbooks, tables of databases, or the formats of tools that have a reader of their"
    " own. Files are not downloaded, so that their hashes in [sha256] cannot be verified. Several"
    " classifiers, and labels in a file of their own, need an id, because rows have no order on a"
    " cluster. Whatever Spark can read it aggregates. docs/engines.md has the details.",
)
GATE_CONDITION = ErrorCode(
    "E134",
    "a gate needs exactly one condition",
    "A gate has a minimum (`at_least`), a maximum (`at_most`), or a reference for non-inferiority"
    " (`not_worse_than` another classifier, `not_worse_than_last` run). Write a separate [[gates]]"
    " for each condition."
    ' Correct: `[[gates]]`, `classifier = "NB"`, `measure = "accuracy"`, `at_least = 0.9`.',
)
GATE_SETTING = ErrorCode(
    "E135",
    "gate setting without effect",
    "`bound` selects the confidence limit for `at_least` and `at_most`, `margin` belongs to"
    " `not_worse_than` and `not_worse_than_last`, a value is of a `class` or an `average` but not"
    " both, and no classifier is compared with itself. A setting without effect is an error because"
    ' readers would rely on it. Correct: `not_worse_than = "SVM"`, `margin = 0.01`.',
)
GATE_UNTESTABLE = ErrorCode(
    "E136",
    "gate on a difference that cannot be tested",
    "A classifier passes `not_worse_than` if the confidence interval of the difference is within"
    " the margin. There is an interval for two classifiers with predictions or counts, overall or"
    " for a class, and for two with scores of the same folds; not for averages over classes, nor"
    " between scores per fold and counts. Against the last run the classifier needs predictions or"
    " counts. Use `at_least` or `at_most`, or give the predictions.",
)
INVALID_FORMULA = ErrorCode(
    "E137",
    "invalid formula",
    "The formula of an own measure in [[measures.own]] cannot be parsed. It has the counts tp, fn,"
    " fp and tn, n for all cases, numbers, + - * / ^ and parentheses, sqrt(), log() and abs(), and"
    " names of other measures of counts."
    ' Correct: `formula = "5*fn + fp"`, `formula = "sqrt(sensitivity * precision)"`.',
)
CONFLICTING_KEYS = ErrorCode(
    "E138",
    "settings that exclude each other",
    "[decision] has one criterion: `cost`, `benefit` or `require`."
    " Correct: `cost = { false_positive = 1, false_negative = 8 }`.",
)
NOT_EXPRESSIBLE_IN_SQL = ErrorCode(
    "E139",
    "no query of counts for this spec",
    "`reportgen sql` prints a query that counts truths and predictions in a database. It needs"
    " classes, one data set, columns that the spec names, and ids where classifiers are in several"
    " tables, whose rows have no order.",
)
NOT_CONFINED = ErrorCode(
    "E140",
    "not allowed in confined mode",
    "With `--untrusted` a spec reads files in its own folder only, after links are resolved. It has"
    " neither notifications, remote files, a cluster nor the name of another history. Build without"
    " it if you trust whoever wrote the spec.",
)
INVALID_ARGUMENT = ErrorCode(
    "E600",
    "invalid argument",
    "`reportgen.evaluate` was called with an invalid argument: no predictions, the name of a"
    " classifier without any, a table instead of a column, or a setting twice."
    ' Correct: `evaluate(truth, {"SVM": predictions}, positive="yes")`.',
)
TASK_KIND_AMBIGUOUS = ErrorCode(
    "E601",
    "ambiguous kind of task",
    "With two classes `reportgen.evaluate` needs the positive one, which is never guessed."
    ' Correct: `positive="yes"`, or `task="multiclass"` if neither is positive.',
)
ARGUMENT_LENGTHS_DIFFER = ErrorCode(
    "E602",
    "arguments are not aligned",
    "Every argument of `reportgen.evaluate` has one value per case, in the same order, and every id"
    " is unique within a fold. Typical causes are predictions for another part of the data, and"
    " rows sorted in one place only.",
)
