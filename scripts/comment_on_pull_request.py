"""Write a Markdown file as a comment on the pull request of a GitHub workflow.

Called by action.yml as `comment_on_pull_request.py ID FILE`. A later call with the same id changes
the comment instead of adding another. Only the standard library is used, because it runs outside
of reportgen's environment.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

# GitHub rejects a longer comment.
MAX_CHARACTERS = 65_000
PAGE_SIZE = 100
TIMEOUT_SECONDS = 30
FORBIDDEN = (401, 403, 404)


def main(identifier: str, file: str) -> int:
    """Write the comment and return the exit code."""
    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    number = (event.get("pull_request") or {}).get("number")
    if number is None:
        print("no pull request, so no comment")
        return 0
    marker = f"<!-- reportgen: {re.sub(r'[^A-Za-z0-9_.-]', '-', identifier)} -->"
    body = _shorten(f"{marker}\n{Path(file).read_text(encoding='utf-8')}")
    issues = f"repos/{os.environ['GITHUB_REPOSITORY']}/issues"
    try:
        earlier = _find_comment(f"{issues}/{int(number)}/comments", marker)
        if earlier is None:
            comment = _call("POST", f"{issues}/{int(number)}/comments", {"body": body})
        else:
            comment = _call("PATCH", f"{issues}/comments/{earlier}", {"body": body})
    except HTTPError as error:
        if error.code not in FORBIDDEN:
            raise
        # The token of a pull request from a fork may only read.
        print(f"::warning::the comment was not written, because the token may not: {error}")
        return 0
    print(f"comment: {comment['html_url']}")
    return 0


def _shorten(text: str) -> str:
    """Return the text, cut at the end of a line if it is too long for a comment."""
    if len(text) <= MAX_CHARACTERS:
        return text
    return text[: text.rindex("\n", 0, MAX_CHARACTERS)] + "\n\n(The rest is in the step summary.)\n"


def _find_comment(path: str, marker: str) -> int | None:
    """Return the id of the comment that begins with the marker.

    Comments of people do not count: anybody may write the marker.
    """
    page = 1
    while True:
        comments = _call("GET", f"{path}?per_page={PAGE_SIZE}&page={page}")
        for comment in comments:
            if comment["user"]["type"] == "Bot" and comment["body"].startswith(marker):
                return int(comment["id"])
        if len(comments) < PAGE_SIZE:
            return None
        page += 1


def _call(method: str, path: str, content: object = None) -> Any:  # noqa: ANN401  # JSON
    request = Request(  # noqa: S310  # the address is the runner's
        f"{os.environ['GITHUB_API_URL']}/{path}",
        None if content is None else json.dumps(content).encode(),
        {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {os.environ['GITHUB_TOKEN']}",
            "Content-Type": "application/json",
        },
        method=method,
    )
    with urlopen(request, timeout=TIMEOUT_SECONDS) as response:  # noqa: S310  # as above
        return json.load(response)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
