"""A chat in a terminal that remembers, over a running `varve start`. Run it twice."""

import json
import os
import sys
import urllib.request
import uuid

from varve import Varve

varve = Varve(
    url=os.environ.get("VARVE_API_URL", "http://127.0.0.1:7420"),
    token=os.environ["VARVE_API_TOKEN"],
    tenant="default",
)
user = {"userId": os.environ.get("VARVE_USER", "ann")}
session_id = str(uuid.uuid4())


# The beginning of a long message says what it is about, and leaves room for the context.
QUERY_LENGTH = 500


def ask(*texts: str) -> str:
    """Asks an endpoint that speaks OpenAI's protocol."""
    base = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1")
    body = {
        "model": os.environ.get("MODEL", "gpt-5-mini"),
        "messages": [{"role": "user", "content": text} for text in texts],
    }
    headers = {
        "authorization": f"Bearer {os.environ['OPENAI_API_KEY']}",
        "content-type": "application/json",
    }
    request = urllib.request.Request(f"{base}/chat/completions", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)["choices"][0]["message"]["content"]


for line in sys.stdin:
    question = line.strip()
    if not question:
        continue
    # What earlier sessions and this one say about the question, with the question at the end.
    context = varve.context.assemble(
        identifiers={**user, "sessionId": session_id},
        query=question[:QUERY_LENGTH],
        max_tokens=1000,
    )
    whole = [question] if len(question) > QUERY_LENGTH else []
    answer = ask(context["text"], *whole)
    print(answer, flush=True)
    varve.conversation.append(
        session_id=session_id,
        identifiers=user,
        turns=[{"role": "user", "content": question}, {"role": "assistant", "content": answer}],
    )
