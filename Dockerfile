# One image for every part: `operator`, `api`, `worker --role workflows`, `worker --role models`.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Nothing that is needed at run time has anything to build. A server needs the optional packages of
# package.json too, but those for agents; the second command takes them at the locked versions.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
RUN npm install --no-save --save-prod --omit=dev --ignore-scripts --no-audit --no-fund \
    $(node -p "const p = require('./package.json'); \
    Object.keys(p.peerDependencies).filter((name) => !name.includes('langchain')) \
    .map((name) => name + '@' + p.devDependencies[name]).join(' ')") \
    && cd node_modules/onnxruntime-node/bin && rm -rf napi-v*/darwin napi-v*/win32
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
