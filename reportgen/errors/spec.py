"""Faults of a spec file: E1xx."""

from __future__ import annotations

from reportgen.errors.diagnostics import ErrorCode

SPEC_UNREADABLE = ErrorCode(
    "E100",
    "the spec file cannot be read",
    "The file does not exist, is a folder, may not be read, or is not UTF-8 text."
    " Check the path; save the file as UTF-8 if an editor wrote it in another encoding.",
)
TOML_SYNTAX = ErrorCode(
    "E101",
    "the spec is not valid TOML",
    "The file breaks a rule of TOML, so nothing in it can be read. Typical causes are text without"
    " quotes, a bracket or quote that is not closed, and two settings on one line."
    ' Right: `kind = "binary"`.',
)
UNKNOWN_KEY = ErrorCode(
    "E102",
    "a key is not known",
    "The spec has a key or a table that reportgen does not know; it is refused because a misspelt"
    " setting would silently have no effect. Typical causes are a typing error and a key written"
    " below the wrong [table]. `reportgen schema` lists every key.",
)
MISSING_KEY = ErrorCode(
    "E103",
    "a needed key is missing",
    "A table lacks a key it cannot do without. Every spec needs `kind` in [task], `positive` too if"
    " the task is binary, and at least one [[classifiers]] with a `name`."
    ' Right: `[task]`, `kind = "binary"`, `positive = "success"`.',
)
OUT_OF_RANGE = ErrorCode(
    "E104",
    "a value is out of range",
    "A number, or the length of a list, is outside of what makes sense for its key; `nan`, `inf`"
    " and whole numbers beyond 64 bit are refused everywhere. A typical cause is a percentage where"
    " a share is meant. Right: `level = 0.95`.",
)
WRONG_TYPE = ErrorCode(
    "E105",
    "a value has the wrong type",
    "The key is known, but its value is of another type than it needs, as text for a number."
    ' Values are never converted silently: `0.5` is a number, `"0.5"` is text.'
    ' Right: `threshold = 0.5`, `formats = ["html"]`.',
)
DUPLICATE_KEY = ErrorCode(
    "E106",
    "a key is written twice",
    "TOML allows each key and each [table] once; which of the two would count is not guessed."
    " Typical causes are a pasted line and `[classifiers]` where `[[classifiers]]` is meant."
    " Keep one of the two.",
)
INVALID_CHOICE = ErrorCode(
    "E107",
    "a word is not among those allowed",
    "The key takes one of a few words, and this is none of them. The message lists the words."
    ' Right: `kind = "multiclass"`, `formats = ["html", "pdf"]`.',
)
UNKNOWN_MEASURE = ErrorCode(
    "E108",
    "a measure does not exist",
    "The spec names a measure, group of measures or capability that is not in the catalogue."
    " `reportgen measures` lists all names, aliases and groups; `f0.5`, `f2` and any `f<beta>`"
    " are names too."
    ' Right: `show = ["traditional", "f0.5"]`.',
)
MEASURE_NOT_APPLICABLE = ErrorCode(
    "E109",
    "a measure does not fit the task",
    "The measure exists but cannot be computed for this kind of task, as `rmse` for classes or"
    " `accuracy` for a regression. Take it out, or correct `kind` in [task]. Of `primary` and"
    " `margin` in [comparison]: no test of differences in the measure exists, as of"
    " `average_precision`; of `at_least` in [thresholds]: it has no value at a single threshold."
    ' Right for a regression: `show = ["rmse", "mae"]`.',
)
UNKNOWN_CLASSIFIER = ErrorCode(
    "E110",
    "a classifier is not in the spec",
    "A baseline, a published number or a gate names a classifier that no [[classifiers]] defines."
    " Names must agree letter by letter, capitals included."
    ' Right: `baseline = "SVM"` with a classifier of `name = "SVM"`.',
)
DUPLICATE_CLASSIFIER = ErrorCode(
    "E111",
    "two classifiers have one name",
    "Classifiers are told apart by their names, so each name may be used once."
    ' A typical cause is a copied [[classifiers]] block. Right: `name = "SVM, linear"` and'
    ' `name = "SVM, radial"`.',
)
INVALID_CONFUSION_MATRIX = ErrorCode(
    "E112",
    "a confusion matrix does not have the right shape",
    "A confusion matrix has one row per true class and one column per predicted class, in the order"
    " of `classes` in [task], and holds at least one case."
    " Right for two classes: `confusion = [[1108, 323], [272, 858]]`.",
)
CLASSIFIER_SOURCE = ErrorCode(
    "E113",
    "a classifier needs exactly one source",
    "What a classifier did is told by prediction files, by counts, by scores per fold or by scores"
    " per data set, and by one of them only: two could contradict each other."
    ' Right: `predictions = "svm.csv"` or `confusion = [[9, 1], [2, 8]]`'
    " or `fold_scores = { accuracy = [0.81, 0.82] }`"
    " or `dataset_scores = { accuracy = { wine = 0.97, iris = 0.95 } }`.",
)
FOLD_SCORE_COUNTS_DIFFER = ErrorCode(
    "E114",
    "fold scores of one classifier have different lengths",
    "Every measure of `fold_scores` has one score per fold, so all lists of a classifier are"
    " equally long. A typical cause is a score that was lost in copying."
    " Right: `fold_scores = { accuracy = [0.81, 0.82], f1 = [0.78, 0.80] }`.",
)
UNKNOWN_CLASS = ErrorCode(
    "E115",
    "a class is not among the classes",
    "`positive` or the `class` of a published number is not listed in `classes` of [task]."
    " Names must agree letter by letter, capitals included."
    ' Right: `classes = ["success", "failure"]`, `positive = "success"`.',
)
NOT_APPLICABLE_TO_TASK = ErrorCode(
    "E116",
    "a setting does not fit the task",
    "The setting has a meaning only for another kind of task: `positive` and `threshold` are for"
    " binary tasks, classes and counts are not for regressions."
    " Take it out, or correct `kind` in [task].",
)
UNSAFE_TEXT = ErrorCode(
    "E117",
    "a name is empty or has invisible characters",
    "Names and titles appear in the report, so they may not be empty nor contain control characters"
    " or characters that override the direction of writing: these can make a text look like another"
    ' one. Right: `name = "SVM"`.',
)
REMOTE_INPUT_NOT_ALLOWED = ErrorCode(
    "E118",
    "an input is an address, not a file",
    "reportgen reads files, and fetches nothing over a network unless the spec says so: `remote ="
    " true` under `[data]`, or for one classifier, allows addresses of object stores and of Hugging"
    " Face (s3, gs, az, abfss and hf), as docs/remote.md tells. Others, such as http, are never"
    " read: download the file first and name it by its path, relative to the spec."
    ' Right: `predictions = "data/svm.parquet"`.',
)
DUPLICATE_VALUE = ErrorCode(
    "E119",
    "something is listed twice",
    "A list whose entries must differ has the same entry twice: a class, a section or an output"
    " format; or `fold_scores` or `margin` have one measure under two of its names. Keep one of"
    " them.",
)
PUBLISHED_VALUE_TYPE = ErrorCode(
    "E120",
    "a published value does not fit what it is a value of",
    "The published value of a measure is a number, optionally with `unit`; that of a capability is"
    " the word the table has, without a unit."
    ' Right: `measure = "accuracy"`, `value = 77.4`, `unit = "%"`, or'
    ' `measure = "predictive_power"`, `value = "superior"`.',
)
GATES_UNSUPPORTED = ErrorCode(
    "E121",
    "gates are not evaluated by this version",
    "Only early versions say this: they could not evaluate [[gates]] and refused them, because a"
    " gate that is ignored would pass. Later versions evaluate them. Install one, or take the"
    " [[gates]] out to build the report.",
)
REQUIRES_OTHER_KEY = ErrorCode(
    "E122",
    "a setting needs another one",
    "The setting works only together with another one that is missing: `labels` is joined by `id`,"
    " `threshold` is applied to `score`, `confusion` follows the order of `classes`, `unit` belongs"
    " to a number, and measures as `roc_auc` and `brier` are made of `score` or"
    ' `probabilities`. Right: `labels = "labels.csv"` with `id = "case"`.',
)
INVALID_FORMAT = ErrorCode(
    "E123",
    "a text does not have the form it needs",
    "The text must follow a pattern that reportgen fills in or reads: `probabilities` contains"
    " {class}, a `cron` line has five fields, a `timezone` is a name of the time zone database."
    ' Right: `probabilities = "p_{class}"`, `cron = "0 6 * * MON"`, `timezone = "Europe/Berlin"`.',
)
INVALID_SPEC_NAME = ErrorCode(
    "E124",
    "the name of the spec cannot name a folder",
    "The report of `churn.toml` is written into a folder `churn`. Of `..toml` and `...toml` only"
    " dots are left, which name the output folder itself or the one above it. Rename the spec.",
)
DATASET_PLACEHOLDER = ErrorCode(
    "E125",
    "a path and the data sets do not fit",
    "With [[datasets]] every path of `predictions` contains {dataset}, which stands for the name of"
    " each data set; without [[datasets]] there is nothing it could stand for."
    ' Right: `[[datasets]]`, `name = "wine"` and `predictions = "data/{dataset}/svm.csv"`.',
)
DATASETS_DIFFER = ErrorCode(
    "E126",
    "classifiers are not known on the same data sets",
    "Classifiers are compared data set by data set, so `dataset_scores` of every classifier have"
    " the same measures and the same data sets. A typical cause is a misspelt name or a score that"
    " was lost in copying."
    " Right: `dataset_scores = { accuracy = { wine = 0.97, iris = 0.95 } }` for all of them.",
)
NOT_APPLICABLE_TO_DATASETS = ErrorCode(
    "E127",
    "a setting does not go with several data sets",
    "The spec compares classifiers over several data sets, where counts, fold scores, published"
    " values, prevalences, thresholds and gates of a single one have no place. Write a spec of its"
    " own for the single data set, or take the setting out.",
)
FOLD_REPEATS = ErrorCode(
    "E128",
    "the folds are not so many repeats",
    "`repeats` in [folds] says how often a whole cross-validation was repeated, so the number of"
    " folds is a multiple of it: 100 folds are 10 repeats of 10 folds. A typical cause is a score"
    " that was lost in copying, or folds counted instead of repeats."
    " Right for 100 fold scores: `repeats = 10`.",
)
INVALID_THEME_FILE = ErrorCode(
    "E129",
    "a file for the look cannot be used",
    "A logo is an SVG, PNG or JPEG picture, a font a TTF, OTF, WOFF or WOFF2 file, `templates` a"
    " folder. They travel inside every report, so they are files beside the spec and at most a"
    ' megabyte each. Right: `[output.theme]`, `logo = "logo.svg"`.',
)
TEMPLATE_ERROR = ErrorCode(
    "E130",
    "a template of your own cannot be used",
    "A file in the folder of `templates` stands in for the shipped template of the same name, such"
    " as `cover.html.j2` or `blocks/table.html.j2`; `theme.css` adds rules to the stylesheet."
    " Templates run in a sandbox: they see the report and the functions the shipped ones use,"
    " nothing else. docs/appearance.md lists them.",
)
INVALID_TEXT_SECTION = ErrorCode(
    "E131",
    "a section of your own words cannot be used",
    'A section of `kind = "text"` has its words in `text` or in a Markdown `file` beside the spec,'
    " one of the two; sections of other kinds have neither. Paragraphs, headings, lists, tables,"
    " quotes, code and links are understood; HTML is shown as it is written; pictures are not read."
    ' Right: `[[sections]]`, `kind = "text"`, `title = "Background"`, `file = "background.md"`.',
)
CREDENTIALS_IN_URI = ErrorCode(
    "E132",
    "an address says more than where a file is",
    "Addresses appear in the report, in manifest.json and in messages, so a user, a password or a"
    " signature in one would be shown to every reader. Give credentials in environment variables,"
    " which docs/remote.md names. Messages show * in place of what may be a secret."
    ' Right: `predictions = "s3://bucket/run/svm.parquet"`.',
)
NOT_SUPPORTED_BY_ENGINE = ErrorCode(
    "E133",
    "the engine cannot do what is asked",
    'With `kind = "spark"` under `[engine]` cases are counted on a cluster. Counted are classes and'
    " scores, by columns of Parquet and CSV files; numeric predictions, probabilities per class,"
    " the formats of tools and `where` are not. Several classifiers need an id, because rows have"
    " no order on a cluster. docs/engines.md has the whole list.",
)
GATE_CONDITION = ErrorCode(
    "E134",
    "a gate needs exactly one condition",
    "A gate says what must be reached (`at_least`), what must not be exceeded (`at_most`), or than"
    " whom a classifier must not be worse (`not_worse_than` for another classifier,"
    " `not_worse_than_last` for an earlier run). Write a [[gates]] of its own for each condition."
    ' Right: `[[gates]]`, `classifier = "NB"`, `measure = "accuracy"`, `at_least = 0.9`.',
)
GATE_SETTING = ErrorCode(
    "E135",
    "a setting of a gate has no use there",
    "`bound` chooses the end of the interval for `at_least` and `at_most`, `margin` belongs to"
    " `not_worse_than` and `not_worse_than_last`, a value is of a `class` or an `average` but not"
    " both, and no classifier is compared with itself. It is refused because somebody would believe"
    ' that it counts. Right: `not_worse_than = "SVM"`, `margin = 0.01`.',
)
GATE_UNTESTABLE = ErrorCode(
    "E136",
    "a gate asks for a difference that cannot be tested",
    "A classifier passes `not_worse_than` when the interval of the difference shows it. There is"
    " one for two classifiers with predictions or counts, for the classifier as a whole or for a"
    " class, and for two with scores of the same folds; not for averages over classes, nor between"
    " scores per fold and counts. Against the last run the classifier needs predictions or counts."
    " Use `at_least` or `at_most`, or give the predictions.",
)


# Faults of a call from Python: E6xx.

INVALID_ARGUMENT = ErrorCode(
    "E600",
    "an argument cannot be used",
    "`reportgen.evaluate` was called with something it cannot take: no predictions at all, the name"
    " of a classifier that has none, a table where one column is needed, or the same setting twice."
    ' Right: `evaluate(truth, {"SVM": predictions}, positive="yes")`.',
)
TASK_KIND_AMBIGUOUS = ErrorCode(
    "E601",
    "the kind of task cannot be told",
    "With two classes `reportgen.evaluate` has to know which is the positive one; it is never"
    ' guessed from their order. Right: `positive="yes"`, or `task="multiclass"` if neither is.',
)
ARGUMENT_LENGTHS_DIFFER = ErrorCode(
    "E602",
    "arguments do not belong to the same cases",
    "Every argument of `reportgen.evaluate` has one value for each case, in the same order, and"
    " every id names one case of a fold. A typical cause are predictions for another part of the"
    " data, or rows that were sorted in one place only.",
)
