# reportgen with everything for HTML, PDF, buckets and PostgreSQL: docs/how-to/container.md
FROM python:3.13-slim-bookworm AS build
WORKDIR /src

# By the hashes of the lock file: first the tools that build, then what reportgen needs at run time,
# without the tools for its development.
COPY pyproject.toml requirements.lock ./
RUN awk '/^[a-z]/ { wanted = /^uv==/ } wanted' requirements.lock > uv.lock \
    && awk '/^[a-z]/ { wanted = /^hatchling==/ } wanted' requirements.lock > hatchling.lock \
    && python -m venv /opt/tools \
    && /opt/tools/bin/pip install --no-cache-dir --require-hashes --requirement uv.lock \
    && /opt/tools/bin/uv pip install --no-cache --python /opt/tools/bin/python \
        --require-hashes --requirement hatchling.lock --constraint requirements.lock \
    && python -m venv --without-pip /opt/reportgen \
    && /opt/tools/bin/uv pip install --no-cache --python /opt/reportgen/bin/python \
        --require-hashes --requirement pyproject.toml --extra cloud --extra postgres \
        --constraint requirements.lock

COPY README.md LICENSE ./
COPY docs/glossary.md docs/glossary.md
COPY templates templates
COPY reportgen reportgen
RUN /opt/tools/bin/python -m hatchling build --target wheel --directory /dist \
    && /opt/tools/bin/uv pip install --no-cache --python /opt/reportgen/bin/python --no-deps \
        /dist/*.whl


FROM python:3.13-slim-bookworm

# Not pinned: Debian removes a version as soon as it has a fixed one.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz0b libharfbuzz-subset0 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --no-create-home --home-dir /work reportgen \
    && install --directory --owner reportgen /work

COPY --from=build /opt/reportgen /opt/reportgen
# Fonts are looked up by a cache, which may be written only there if the rest is read-only.
ENV PATH=/opt/reportgen/bin:$PATH PYTHONUNBUFFERED=1 XDG_CACHE_HOME=/tmp

USER 10001
WORKDIR /work

# The scheduler writes the file every 30 seconds as long as it lives.
HEALTHCHECK --interval=60s --timeout=10s --start-period=60s \
    CMD ["sh", "-c", "test -n \"$(find reports/schedule.json -mmin -2)\""]

ENTRYPOINT ["reportgen"]
CMD ["schedule", "run", "specs/", "--output", "reports", "--publish", "site"]
