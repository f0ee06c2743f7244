"""Faults of runs that nobody watches: E407 to E409, E51x to E54x and E610."""

from reportgen.errors.diagnostics import ErrorCode

TIMED_OUT = ErrorCode(
    "E407",
    "a report took longer than it may",
    "The process that built the report was stopped because the time given with `--timeout` was"
    " over; the earlier report is untouched. Give it more time, or ask for less: fewer formats,"
    ' `detail = "summary"`, fewer classes in the PDF.',
)
MEMORY_LIMIT_EXCEEDED = ErrorCode(
    "E408",
    "a report needed more memory than it may",
    "The process that built the report reached the limit given with `--max-memory`; the earlier"
    " report is untouched. Give it more, name fewer columns, or let an engine such as Spark count.",
)
HISTORY_UNREACHABLE = ErrorCode(
    "E510",
    "the history cannot be opened",
    "Earlier runs are kept in a file, or in a PostgreSQL database that `--history` or the"
    " environment variable REPORTGEN_HISTORY names. The file cannot be opened or made, or the"
    " server does not answer or does not let you in. Passwords are best kept in ~/.pgpass or"
    " PGPASSWORD; reportgen prints none.",
)
HISTORY_CORRUPT = ErrorCode(
    "E511",
    "the history is damaged",
    "The database cannot be read: its structure is broken, rows of a run are missing, or a column"
    " has a value that it cannot have. The history is not used and not changed; the report is still"
    " written. Move the file away and the next run begins a"
    " new one, or bring a copy back; `sqlite3 FILE .recover` saves what can be saved.",
)
HISTORY_VERSION_MISMATCH = ErrorCode(
    "E512",
    "the history has tables of another version",
    "Another version of reportgen keeps its runs in other tables. The history is not changed. Use"
    " the version that wrote it, or keep the runs of this version elsewhere with `--history`.",
)
HISTORY_BUSY = ErrorCode(
    "E513",
    "the history is busy",
    "Only one process writes to the history at a time, for some milliseconds; others wait. This one"
    " waited in vain: another program holds it open, or a process hangs.",
)
HISTORY_UNWRITABLE = ErrorCode(
    "E514",
    "the history cannot be written",
    "The run could not be kept: there is no space, no permission, or the database refused it. What"
    " the history had before is as it was.",
)
NOT_A_HISTORY = ErrorCode(
    "E515",
    "the file is no history of reportgen",
    "The file is something else: another kind of file, or a database of another program. It is"
    " left as it is; name another file with `--history`.",
)
HISTORY_DRIVER_MISSING = ErrorCode(
    "E516",
    "PostgreSQL needs the package psycopg",
    "A history at a `postgresql://` address is reached through psycopg: `pip install"
    " 'reportgen-eval[postgres]'` installs it.",
)
HISTORY_MISSING = ErrorCode(
    "E517",
    "there is no history yet",
    "`reportgen build` keeps every run in `history.sqlite` in its output folder. Commands that only"
    " read make no file; `--history` or REPORTGEN_HISTORY names another place.",
)
RUN_NOT_FOUND = ErrorCode(
    "E518",
    "the run is not in the history any more",
    "A run was to be ended or marked in the history and is not there: it was pruned meanwhile, or"
    " the history was replaced.",
)
NOTHING_TO_PUBLISH = ErrorCode(
    "E520",
    "there is nothing to publish",
    "`reportgen publish RUNS TARGET` makes a site of the reports in the output folder of `reportgen"
    " build`. The folder does not exist or has no report in it. The target is left as it is, so"
    " that a wrong folder does not take a site away.",
)
INVALID_TARGET = ErrorCode(
    "E521",
    "a site cannot be published there",
    "A site goes to a folder, or to an address that begins with s3://, gs:// or az:// and names a"
    " bucket or a container. Credentials are never part of an address: they come from the"
    " environment. A site cannot go to the folder its reports are read from.",
)
TARGET_NOT_OWNED = ErrorCode(
    "E522",
    "something else is where the site would go",
    "The target has files that reportgen did not publish and that have the names of pages of the"
    " site. They are never overwritten or removed. Publish to another folder, or move them away.",
)
REPORT_CORRUPT = ErrorCode(
    "E523",
    "a report is not as it was built",
    "manifest.json has the hash of every file of a report. One of them is missing or differs,"
    " because it was edited, damaged, or is being built again just now. This report stays as it was"
    " published before; the others were published.",
)
TARGET_UNWRITABLE = ErrorCode(
    "E524",
    "the site cannot be written",
    "A page could not be written, or what is there could not be read: no permission, no space, no"
    " such bucket, or no network. Pages are written before the index that leads to them, so that"
    " the site is whole as it was. Publishing again goes on where it stopped.",
)
CLOUD_DRIVER_MISSING = ErrorCode(
    "E525",
    "a bucket needs the package obstore",
    "Sites at s3://, gs:// and az:// are written with obstore:"
    " `pip install 'reportgen-eval[cloud]'` installs it.",
)
PUBLICATION_NOT_RECORDED = ErrorCode(
    "E526",
    "the site is up, but the history does not know it",
    "Everything was published, but the history could not be told which runs were. Gates with"
    ' `not_worse_than_last = "published"` still compare with the run before. Publish again.',
)
STALE_PAGES_NOT_REMOVED = ErrorCode(
    "E527",
    "the site is up, but old pages are still there",
    "Everything was published and the index no longer names the latest pages of reports that are"
    " not built any more, but these pages could not be removed. Publishing again tries it again.",
)
NOTHING_SCHEDULED = ErrorCode(
    "E530",
    "no spec has a schedule",
    "`reportgen schedule` is about specs with a table `[schedule]`, and none of those named has"
    ' one. Right: `[schedule]`, `cron = "0 6 * * MON"`, `timezone = "Europe/Berlin"`.',
)
DUPLICATE_REPORT_NAME = ErrorCode(
    "E531",
    "two scheduled specs would write the same report",
    "A report goes to a folder that has the name of its spec file. Two specs of one name, as from"
    " two folders, would overwrite each other's report. Rename one of them, or schedule them into"
    " different folders.",
)
SCHEDULE_NOT_SUPPORTED = ErrorCode(
    "E532",
    "another scheduler cannot express the schedule",
    "Schedulers know different kinds of cron lines, and what one of them cannot say is refused"
    " rather than guessed. The message says what it is. `reportgen schedule run` knows all lines.",
)
UNSAFE_PATH = ErrorCode(
    "E533",
    "a path cannot be written into a unit",
    "The path has a sign that shows nothing, such as a line break, which would break the unit or"
    " change what it runs; or it is outside of the folder that is there where the unit runs, which"
    " is the folder the command is called in.",
)
TIME_ZONE_UNKNOWN = ErrorCode(
    "E534",
    "the machine does not know the time zone",
    "Without a time zone database nobody can tell when the spec is due. The package tzdata has one:"
    " `pip install tzdata`, or `apt-get install tzdata` (Debian, Ubuntu).",
)
INSTALL_SOURCE_MISSING = ErrorCode(
    "E535",
    "the source to install reportgen from is not named",
    "A workflow for GitHub runs on a machine without reportgen and installs it with pip. Which"
    " source pip takes decides whose code runs, so there is no default: name one with `--install`,"
    " and pin it to a version, a commit or a file. The distribution is called `reportgen-eval`;"
    " `reportgen` on PyPI is another project.",
)
LOCKED = ErrorCode(
    "E610",
    "another run writes to the same place",
    "Two runs that write the same report would mix their files, so that the second one stops. The"
    " message names the process that holds the place. `--wait` waits until it is free; a process"
    " that was killed holds nothing.",
)
