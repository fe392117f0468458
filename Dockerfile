# Image of the rules service. Build: docker build -t set-match .
# Works without BuildKit. Layers that change rarely come first.
ARG PYTHON_IMAGE=python:3.11-slim-bookworm

FROM ${PYTHON_IMAGE} AS dependencies
RUN python3 -m venv /opt/python
COPY requirements.lock /tmp/
RUN /opt/python/bin/pip install --no-cache-dir --require-hashes -r /tmp/requirements.lock

FROM dependencies AS code
COPY requirements-build.lock /tmp/
RUN /opt/python/bin/pip install --no-cache-dir --require-hashes -r /tmp/requirements-build.lock
WORKDIR /src
COPY pyproject.toml README.md ./
COPY set_core set_core
COPY match_handler match_handler
RUN /opt/python/bin/pip install --no-cache-dir --no-deps --no-build-isolation --target /opt/set-match .

FROM ${PYTHON_IMAGE}
COPY --from=dependencies /opt/python /opt/python
COPY --from=code /opt/set-match /opt/set-match
ENV PATH=/opt/set-match/bin:/opt/python/bin:/usr/local/bin:/usr/bin:/bin \
    PYTHONPATH=/opt/set-match PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 \
    SET_MATCH_LISTEN=0.0.0.0:7400
USER 10001:10001
EXPOSE 7400
# With a metrics port, the check is one HTTP request of bash, because starting Python costs much more (decision E75).
HEALTHCHECK --interval=5s --timeout=5s --start-period=20s --retries=3 CMD ["bash", "-c", "\
port=${SET_MATCH_METRICS_PORT:-0}; [ \"$port\" -gt 0 ] || exec set-match healthcheck; \
exec 3<>\"/dev/tcp/127.0.0.1/$port\" && printf 'GET /healthz HTTP/1.0\\r\\n\\r\\n' >&3 && read -r _ code _ <&3 && [ \"$code\" = 200 ]"]
ENTRYPOINT ["set-match"]
CMD ["serve"]
