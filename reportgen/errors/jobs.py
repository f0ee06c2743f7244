"""Error codes of unattended runs: limits, history, publishing, scheduling and locks."""

from reportgen.errors.diagnostics import ErrorCode

TIMED_OUT = ErrorCode(
    "E407",
    "time limit exceeded",
    "The worker process exceeded the limit of `--timeout` and was stopped; the previous report is"
    " unchanged. Increase the limit, or reduce the report: fewer formats,"
    ' `detail = "summary"`, fewer classes in the PDF.',
)
MEMORY_LIMIT_EXCEEDED = ErrorCode(
    "E408",
    "memory limit exceeded",
    "The worker process reached the limit of `--max-memory`; the previous report is unchanged."
    " Increase the limit, name fewer columns, or use the Spark engine.",
)
HISTORY_UNREACHABLE = ErrorCode(
    "E510",
    "cannot open the history",
    "The history of runs is a SQLite file, or a PostgreSQL database given by `--history` or the"
    " environment variable REPORTGEN_HISTORY. The file cannot be opened or created, or the server"
    " is unreachable or denies access. Keep passwords in ~/.pgpass or PGPASSWORD; reportgen never"
    " prints them.",
)
HISTORY_CORRUPT = ErrorCode(
    "E511",
    "corrupt history",
    "The database cannot be read: it is corrupt, rows of a run are missing, or a column has an"
    " invalid value. The history is not used and not changed; the report is still written. Move the"
    " file away and the next run creates a"
    " new one, or restore a backup; `sqlite3 FILE .recover` recovers what is readable.",
)
HISTORY_VERSION_MISMATCH = ErrorCode(
    "E512",
    "history of another version of reportgen",
    "Another version of reportgen wrote the history with another schema. The history is unchanged."
    " Use that version, or choose another history with `--history`.",
)
HISTORY_BUSY = ErrorCode(
    "E513",
    "history is locked",
    "Only one process writes to the history at a time, for some milliseconds; others wait. The wait"
    " timed out: another program holds a lock, or a process hangs.",
)
HISTORY_UNWRITABLE = ErrorCode(
    "E514",
    "cannot write the history",
    "The run could not be recorded: no free space, no permission, or an error of the database. The"
    " earlier records are unchanged.",
)
NOT_A_HISTORY = ErrorCode(
    "E515",
    "not a history file",
    "The file is of another type, or a database of another program. It is unchanged; choose another"
    " file with `--history`.",
)
HISTORY_DRIVER_MISSING = ErrorCode(
    "E516",
    "PostgreSQL needs the package psycopg",
    "A history at a `postgresql://` URL needs psycopg: `pip install"
    " 'reportgen-eval[postgres]'` installs it.",
)
HISTORY_MISSING = ErrorCode(
    "E517",
    "no history",
    "`reportgen build` records every run in `history.sqlite` in its output folder. Commands that"
    " only read do not create it; `--history` or REPORTGEN_HISTORY names another location.",
)
RUN_NOT_FOUND = ErrorCode(
    "E518",
    "run not found in the history",
    "A run to be updated is not in the history: it was pruned meanwhile, or the history was"
    " replaced.",
)
HISTORY_FORBIDDEN = ErrorCode(
    "E519",
    "no privilege to use the history",
    "The tables of the history exist in PostgreSQL, but the user of the URL may not read or change"
    " them. They are unchanged and belong to somebody else: ask their owner for privileges, or use"
    " a schema of your own with `?schema=NAME` in the URL.",
)
HISTORY_ENCODING = ErrorCode(
    "E509",
    "the database of the history is not in UTF-8",
    "Names of classifiers, classes and files may contain any character, which a PostgreSQL database"
    " in LATIN1, SQL_ASCII or another encoding cannot store. Create one in UTF-8:"
    " `CREATE DATABASE runs ENCODING 'UTF8' TEMPLATE template0`.",
)
NOTHING_TO_PUBLISH = ErrorCode(
    "E520",
    "nothing to publish",
    "`reportgen publish RUNS TARGET` publishes the reports in the output folder of `reportgen"
    " build`. The folder does not exist or has no reports. The target is unchanged, so that a wrong"
    " folder does not delete a site.",
)
INVALID_TARGET = ErrorCode(
    "E521",
    "invalid publishing target",
    "The target is a folder, or a URI with s3://, gs:// or az:// and a bucket or container."
    " Credentials come from environment variables, never from the URI. The target cannot be the"
    " folder of the reports.",
)
TARGET_NOT_OWNED = ErrorCode(
    "E522",
    "target contains other files",
    "The target has files that reportgen did not publish, with the names of pages of the site. They"
    " are never overwritten or deleted. Publish to another folder, or move them.",
)
REPORT_CORRUPT = ErrorCode(
    "E523",
    "modified or incomplete report",
    "manifest.json has the hash of every file of a report. A file is missing or differs, because it"
    " was edited, is corrupt, or is being rebuilt. The published version of this report is"
    " unchanged; the others were published.",
)
TARGET_UNWRITABLE = ErrorCode(
    "E524",
    "cannot write the site",
    "A page could not be written, or an existing one not be read: no permission, no free space, no"
    " such bucket, or no network. Pages are written before the index that links to them, so the"
    " site is consistent. Publishing again resumes.",
)
CLOUD_DRIVER_MISSING = ErrorCode(
    "E525",
    "a bucket needs the package obstore",
    "Sites at s3://, gs:// and az:// are written with obstore:"
    " `pip install 'reportgen-eval[cloud]'` installs it.",
)
PUBLICATION_NOT_RECORDED = ErrorCode(
    "E526",
    "publication not recorded in the history",
    "The site was published, but the history could not record the published runs. Gates with"
    ' `not_worse_than_last = "published"` still compare with the previous one. Publish again.',
)
STALE_PAGES_NOT_REMOVED = ErrorCode(
    "E527",
    "outdated pages not deleted",
    "The site was published and its index no longer links to reports that are not built any more,"
    " but their pages could not be deleted. Publishing again retries.",
)
NOTHING_SCHEDULED = ErrorCode(
    "E530",
    "no spec has a schedule",
    "`reportgen schedule` needs specs with a table [schedule], and none of the specs has one."
    ' Correct: `[schedule]`, `cron = "0 6 * * MON"`, `timezone = "Europe/Berlin"`.',
)
DUPLICATE_REPORT_NAME = ErrorCode(
    "E531",
    "duplicate report name",
    "A report is written to a folder with the name of its spec file. Two specs of the same name, in"
    " different folders, would overwrite each other's report. Rename one of them, or use different"
    " output folders.",
)
SCHEDULE_NOT_SUPPORTED = ErrorCode(
    "E532",
    "schedule not supported by the scheduler",
    "Schedulers support different cron expressions. The message has the unsupported part."
    " `reportgen schedule run` supports all of them.",
)
UNSAFE_PATH = ErrorCode(
    "E533",
    "unsafe path in an exported schedule",
    "The path has a control character, such as a line break, which could change the command; or it"
    " is outside the working directory, which is the folder of the exported schedule.",
)
TIME_ZONE_UNKNOWN = ErrorCode(
    "E534",
    "unknown time zone",
    "The machine has no time zone database, which the schedule needs. The package tzdata has one:"
    " `pip install tzdata`, or `apt-get install tzdata` (Debian, Ubuntu).",
)
INSTALL_SOURCE_MISSING = ErrorCode(
    "E535",
    "missing installation source",
    "A workflow for GitHub runs on a machine without reportgen and installs it with pip. Which"
    " source pip takes decides whose code runs, so there is no default: name one with `--install`,"
    " and pin it to a version, a commit or a file. The distribution is called `reportgen-eval`;"
    " `reportgen` on PyPI is another project.",
)
LOCKED = ErrorCode(
    "E610",
    "locked by another run",
    "Two runs that write the same report would mix their files, so the second one stops. The"
    " message names the process that holds the lock. `--wait` waits for it; the lock of a killed"
    " process is released.",
)
