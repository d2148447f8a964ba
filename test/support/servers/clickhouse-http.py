"""The engine of ClickHouse behind its HTTP interface, as far as tests use it: python clickhouse-http.py FOLDER USER PASSWORD

Prints its port. A statement is the body, or the parameter `query`, an INSERT whose rows are the body; `param_x` are values of it, and
other parameters are settings. A failure has the status, the header and the body that ClickHouse's server gives it.
"""

import os
import re
import sys
import threading
from base64 import b64encode
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from chdb import session

folder, user, password = sys.argv[1:4]
engine = session.Session(folder)
# Tables of tests are small: to share their few rows out takes longer than to read them.
engine.query("SET max_threads = 1, max_insert_threads = 1")
alone = threading.Lock()
# What is about the request, and not about the statement.
own = {"query", "query_id", "database", "session_id", "role", "user", "password", "wait_end_of_query"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body in one packet: the second of two would wait for the answer to the first.
    wbufsize = -1
    disable_nagle_algorithm = True
    settings = ""

    def do_POST(self):
        given = dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))
        body = self.body()
        if not self.is_allowed():
            return self.fail(403, "Code: 516. DB::Exception: Authentication failed. (AUTHENTICATION_FAILED)")
        statement = self.insert(given["query"], body) if "query" in given else body
        values = {name[6:]: value for name, value in given.items() if name.startswith("param_")}
        settings = [f"{name} = '{value}'" for name, value in given.items() if name not in own and not name.startswith("param_")]
        try:
            with alone:
                self.set(", ".join(settings))
                answer = engine.query(statement, "TabSeparated", params=values or None).bytes()
        except Exception as error:
            return self.fail(500, str(error))
        self.answer(200, bytes(answer), {})

    def insert(self, query, rows):
        # The engine takes rows after a statement to end at an empty line, as in a terminal. A file has all of them.
        path = os.path.join(folder, f"rows-{threading.get_ident()}")
        with open(path, "wb") as file:
            file.write(rows)
        statement, form = query.rsplit(" FORMAT ", 1)
        return f"{statement} FROM INFILE '{path}' FORMAT {form}".encode()

    def set(self, settings):
        # Every request has the same ones, as a rule.
        if settings not in ("", Handler.settings):
            engine.query("SET " + settings)
            Handler.settings = settings

    def is_allowed(self):
        basic = "Basic " + b64encode(f"{user}:{password}".encode()).decode()
        return self.headers.get("Authorization") == basic

    def body(self):
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def fail(self, status, message):
        code = re.match(r"Code: (\d+)", message)
        self.answer(status, message.encode(), {"X-ClickHouse-Exception-Code": code.group(1) if code else "1001"})

    def answer(self, status, body, headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    def handle_error(self, request, address):
        # Tests kill those who ask.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, address)


server = Server(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
# It ends with whoever has started it. The engine's threads do not end by themselves.
sys.stdin.read()
os._exit(0)
