# One image for every part: `operator`, `api`, `worker --role workflows`, `worker --role models`.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Nothing that is needed at run time has anything to build. A lock file that was written beside a
# registry with the packages of one platform alone is refused by `npm ci`; the second command takes
# the same locked versions.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund || \
    npm install --no-save --omit=dev --ignore-scripts --no-audit --no-fund
COPY . .
# Workers then start without bundling, on a file system that they cannot write.
RUN node cli/main.ts bundle workflow-bundle.js

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production \
    TMPDIR=/var/tmp \
    VARVE_DATA_DIR=/var/tmp/varve \
    VARVE_WORKFLOW_BUNDLE=/app/workflow-bundle.js
WORKDIR /app
COPY --from=build /app .
# A number, so that a cluster can see that it is not root. Nobody owns what is in the image.
USER 65532:65532
# API, probes, metrics.
EXPOSE 8080 8081 9090
ENTRYPOINT ["node", "/app/cli/main.ts"]
CMD ["--help"]
