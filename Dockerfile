# tokviz for a class or a school: shared by default. compose.yaml runs it, and docs/serving.md says more.

FROM python:3.13-slim AS built
WORKDIR /src
COPY pyproject.toml README.md LICENSE app.py ./
COPY .streamlit .streamlit
COPY pages pages
COPY models models
COPY tokviz tokviz
RUN python -m venv /opt/tokviz
RUN /opt/tokviz/bin/pip install --no-cache-dir ".[app]"

FROM python:3.13-slim
COPY --from=built /opt/tokviz /opt/tokviz
# The code of the kernels, for any processor of this kind. numba reads it only where it may write, so each start copies it.
ENV PATH=/opt/tokviz/bin:$PATH NUMBA_CPU_NAME=generic NUMBA_CACHE_DIR=/opt/kernels
# The code goes by the times of the sources, of which an image may keep whole seconds only.
RUN find /opt/tokviz -path "*/tokviz/kernels/*.py" -exec touch -d 2026-01-01T00:00:00Z {} + && python -m tokviz.rehearsal
RUN mkdir /data && chown 10001:10001 /data
ENV HOME=/tmp NUMBA_CACHE_DIR=/tmp/kernels TOKVIZ_SAVED=/data TOKVIZ_SHARED=1
USER 10001:10001
VOLUME /data
EXPOSE 8501
HEALTHCHECK --start-period=60s --timeout=5s CMD ["python", "-c", "import os, urllib.request as web; below = os.environ.get('STREAMLIT_SERVER_BASE_URL_PATH', '').strip('/'); web.urlopen('http://127.0.0.1:8501' + (below and '/' + below) + '/_stcore/health', timeout=4)"]
CMD ["sh", "-c", "cp -R /opt/kernels/. /tmp/kernels && exec tokviz app --no-open --host 0.0.0.0 --port 8501"]
