"""Load for `observability`, and its questions to Prometheus and Tempo.

observability-check.py traces | sampling COUNTS | load COUNTS SECONDS | counts COUNTS | panels | alerts | contents
observability-check.py picture FILE

COUNTS is a file with the number of responses by status.
"""

import base64
import http.cookiejar
import json
import pathlib
import random
import re
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter

PRODUCT, PROMETHEUS, TEMPO = (f"http://127.0.0.1:{port}" for port in (8080, 9090, 3200))
SCRAPE = 15
DASHBOARD = json.loads(pathlib.Path("deploy/observability/dashboard.json").read_text())
# Part of each name, password, text and mail address, so that one search finds all of them in a trace. The
# addresses are of the block for documentation.
MARK = "Quetzal"
IDS = ("traceId", "spanId", "parentSpanId")
PEOPLE = re.compile(rf"{MARK}|203\.0\.113\.", re.IGNORECASE)

# Panels without a series, and why the run gives them none.
EMPTY = {
    "Rejected because of overload": "the gateway was never overloaded",
    "Lost audit entries": "no entry was lost",
    "Certificate expires in": "the processes ran without TLS",
}
# Panels whose values may all be zero: what they show did not happen, or never at the moment of a scrape.
ZERO = {
    "Slower than 0.5 s", "Database connections in use", "Connection timeouts", "Running password hashes",
    "Rejected password hashes", "Panics", "Failed start-up checks",
}
# Alerts of the faults, with the highest state that the time of the run allows.
ALERTS = {
    "HourmeterRestarting": "firing",  # notifications, killed three times
    "HourmeterServiceWithoutReplicas": "firing",  # equipment, stopped
    "HourmeterErrorBudgetBurn": "firing",
    "HourmeterOutboxOld": "firing",
    "HourmeterKeyFailure": "firing",  # a forged identity
    "HourmeterProviderFailing": "firing",  # a payment provider that does not answer
    "HourmeterWebhookRefused": "firing",  # events with a wrong signature
    "HourmeterRedisDown": "firing",
    "HourmeterGatewayAbsent": "firing",
    # These fire after ten minutes.
    "HourmeterProcessDown": "pending",
    "HourmeterReplicaNotServing": "pending",
}
# These depend on the machine's speed.
POSSIBLE = {"HourmeterLatencyBudgetBurn"}


def check(truth, *said):
    if not truth:
        sys.exit(f"FAILED: {' '.join(map(str, said))}")


def ask(base, path, **parameters):
    url = f"{base}{path}?{urllib.parse.urlencode(parameters)}"
    with urllib.request.urlopen(url, timeout=60) as response:
        return json.load(response)


class Person:
    """A browser: cookies, an address, and a count of its responses."""

    def __init__(self, counts):
        self.counts = counts
        self.address = f"203.0.113.{random.randrange(1, 255)}"
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(cookies)

    def send(self, method, path, body=None, **headers):
        """The status and the body of the response; 0 without one."""
        data = None if body is None else json.dumps(body).encode()
        headers = {
            "Origin": PRODUCT, "X-Requested-With": "XMLHttpRequest", "Content-Type": "application/json",
            "X-Forwarded-For": self.address, **headers,
        }
        request = urllib.request.Request(f"{PRODUCT}{path}", data, headers, method=method)
        try:
            with self.opener.open(request, timeout=30) as response:
                status, text = response.status, response.read()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read()
        self.counts[str(status)] += 1
        return status, json.loads(text) if text[:1] in (b"{", b"[") else text

    def must(self, method, path, body=None, **headers):
        status, answer = self.send(method, path, body, **headers)
        check(status < 300, method, path, status, answer)
        return answer


class Company:
    def __init__(self, counts):
        self.owner, self.operator, self.manager = (Person(counts) for _ in range(3))
        self.number, self.waiting, self.usage = random.getrandbits(40), [], 100
        sign_up(self.owner, self.number)
        machine = {"name": f"{MARK} excavator", "type": "machinery", "unit": "hours", "fuelType": "diesel",
                   "currentUsage": 100, "serviceInterval": 250}
        self.machine = self.owner.must("POST", "/api/equipment", machine)["id"]
        password = f"{MARK} field 4711"
        self.owner.must("POST", "/api/company-settings", {"masterPassword": password})
        person = {"firstName": MARK, "lastName": "Salazar"}
        name = self.owner.must("POST", "/api/employees", person)["operatorUsername"]
        self.operator.must("POST", "/api/employee/login", {"operatorName": name, "password": password})
        email = f"manager-{self.number}@{MARK}.example"
        manager = {"firstName": "Max", "lastName": MARK, "role": "manager", "email": email}
        word = self.owner.must("POST", "/api/employees", manager)["temporaryPassword"]
        self.manager_login = {"emailOrBusinessName": email, "password": word}
        self.manager.must("POST", "/api/auth/login", self.manager_login)

    def report(self, **headers):
        self.usage += 1
        report = {"equipmentId": self.machine, "newUsage": self.usage, "fuelAdded": 40.25, "fuelType": "diesel",
                  "notes": f"{MARK}: todo bien"}
        status, answer = self.operator.send("POST", "/api/operator-updates", report, **headers)
        if status == 201:
            self.waiting.append(answer["id"])
        return status

    def decide(self, **headers):
        if not self.waiting:
            return None
        return self.manager.send("POST", f"/api/operator-updates/{self.waiting.pop(0)}/apply", {}, **headers)[0]


def sign_up(person, number):
    words = {"businessName": f"{MARK} works {number}", "email": f"owner-{number}@{MARK}.example",
             "password": f"a long {MARK} phrase 47"}
    person.must("POST", "/api/auth/signup", words)


def browser_trace():
    """A new trace, as a browser sends it. The product ignores the flag, here that it is sampled."""
    trace = f"{random.getrandbits(128):032x}"
    return trace, {"traceparent": f"00-{trace}-{random.getrandbits(64):016x}-01"}


class Trace:
    def __init__(self, trace):
        self.spans = {}
        try:
            batches = ask(TEMPO, f"/api/v2/traces/{trace}")["trace"].get("resourceSpans", [])
        except urllib.error.HTTPError as error:
            check(error.code == 404, error)
            batches = []
        for batch in batches:
            resource = attributes(batch["resource"])
            process = resource["service.name"].removeprefix("hourmeter-")
            for span in (span for scope in batch["scopeSpans"] for span in scope["spans"]):
                span |= {"process": process, "attributes": attributes(span), "resource": resource}
                for ids in (span, *span.get("links", [])):
                    ids |= {name: base64.b64decode(ids[name]).hex() for name in IDS if name in ids}
                self.spans[span["spanId"]] = span

    def named(self, name, process=None):
        found = [span for span in self.spans.values() if span["name"] == name]
        return [span for span in found if process in (None, span["process"])]

    def path(self, span):
        """Processes and names from the first span to this one."""
        parent = self.spans.get(span.get("parentSpanId"))
        return [*(self.path(parent) if parent else []), f"{span['process']}: {span['name']}"]

    def is_whole(self):
        """The gateway's span of the request is the first, all others have a parent, and each call has two sides."""
        first = [span for span in self.spans.values() if not span.get("parentSpanId")]
        check(len(first) == 1 and "http.route" in first[0]["attributes"], "first spans:", first)
        for span in self.spans.values():
            parent = self.spans.get(span.get("parentSpanId"))
            if parent is None:
                check(span is first[0], "a span without its parent", span)
            elif span["process"] != parent["process"] and span["kind"] == "SPAN_KIND_SERVER":
                sides = parent["kind"] == "SPAN_KIND_CLIENT" and parent["name"] == span["name"]
                check(sides, "a call without its client", span, parent)


def attributes(of):
    return {one["key"]: next(iter(one["value"].values()), None) for one in of.get("attributes", [])}


class Incomplete(Exception):
    """A trace lacks a span that its request must have had."""


def within(seconds, find):
    end = time.monotonic() + seconds
    while True:
        found = find()
        if found:
            return found
        check(time.monotonic() < end, "nothing found within", seconds, "s")
        time.sleep(1)


def trace_of(name, last):
    """The whole trace, when it has a span `last`."""
    for _ in range(25):
        if Trace(name).named(last):
            time.sleep(6)  # Each process exports its last batch.
            trace = Trace(name)
            trace.is_whole()
            return trace
        time.sleep(1)
    names = Counter(f"{span['process']}: {span['name']}" for span in Trace(name).spans.values())
    raise Incomplete(f"no {last} in trace {name}: {dict(names)}")


def search(name=None):
    """Traces by the name of their first span, as the list of traces in Grafana shows it."""
    found = ask(TEMPO, "/api/search", q="{}", limit=2000, spss=1).get("traces", [])
    return [trace["traceID"].zfill(32) for trace in found if name in (None, trace.get("rootTraceName"))]


def traces():
    for last in (False, True):
        try:
            return traces_of_work()
        except Incomplete as missing:
            # Named in observability.md.
            print("  incomplete:", missing)
            check(not last, "incomplete twice")


def traces_of_work():
    company = Company(Counter())
    # Without a browser's trace, as of a script.
    company.manager.must("POST", "/api/auth/login", company.manager_login)
    reported, headers = browser_trace()
    check(company.report(**headers) == 201, "the report")
    decided, headers = browser_trace()
    check(company.decide(**headers) == 200, "the decision")

    name = within(90, lambda: search("POST /api/auth/login"))[0]
    sign_in = trace_of(name, "accounts.hash_password")
    hashed = sign_in.named("accounts.hash_password")[0]
    print("  sign-in:", len(sign_in.spans), "spans;", " > ".join(sign_in.path(hashed)))

    report = trace_of(reported, "operator_updates.submit")
    stored = [span for span in report.named("INSERT", "operator-updates")]
    print("  report:", len(report.spans), "spans;", " > ".join(report.path(stored[0])))

    decision = trace_of(decided, "equipment.apply_operator_updates")
    deliver = decision.named("operator-updates/deliver")[0]
    ledger = [span for span in decision.spans.values() if "INTO ledger " in span["attributes"].get("db.query.text", "")]
    check(ledger, "no statement writes the ledger", Counter(span["name"] for span in decision.spans.values()))
    print("  decision:", len(decision.spans), "spans;", " > ".join(decision.path(ledger[0])))
    links = [link["traceId"] for link in deliver.get("links", [])]
    check(links == [reported], "the delivery has no link to the report", links, reported)
    for trace in (sign_in, report, decision):
        processes = sorted({span["process"] for span in trace.spans.values()})
        print("   ", ", ".join(processes))


def sampling(file):
    counts = Counter()
    company = Company(counts)
    sent = []
    for _ in range(400):
        trace, headers = browser_trace()
        company.owner.must("GET", "/api/equipment", **headers)
        sent.append(trace)
    time.sleep(12)
    whole = 0
    for name in sent:
        trace = Trace(name)
        if trace.spans:
            trace.is_whole()
            processes = {span["process"] for span in trace.spans.values()}
            check({"gateway", "equipment"} <= processes, "a trace of", processes)
            whole += 1
    # Four standard deviations.
    check(65 <= whole <= 135, whole, "of 400 requests were sampled, not about 100")
    print(f"  {whole} of 400 requests have a trace, each with the spans of gateway and equipment")
    pathlib.Path(file).write_text(json.dumps(counts))


def watch(person):
    """The stream of changes of an open page; it ends with the gateway."""
    def read():
        stream = urllib.request.Request(f"{PRODUCT}/hourmeter.events.v1.EventsService/Watch", bytes(5), {
            "Content-Type": "application/grpc-web+proto", "Origin": PRODUCT, "X-Requested-With": "XMLHttpRequest",
            "X-Forwarded-For": person.address,
        })
        try:
            with person.opener.open(stream, timeout=60) as changes:
                person.counts[str(changes.status)] += 1
                while changes.read(1):
                    pass
        except OSError:
            pass
    threading.Thread(target=read, daemon=True).start()


def load(file, seconds):
    counts = Counter(json.loads(pathlib.Path(file).read_text()))
    end = time.monotonic() + float(seconds)
    companies = [Company(counts) for _ in range(4)]
    guesser = Person(counts)
    watch(companies[0].owner)
    wrong = {"emailOrBusinessName": f"owner-1@{MARK}.example", "password": f"{MARK} wrong"}
    event = {"Stripe-Signature": f"t={int(time.time())},v1={'0' * 64}"}
    reads = ("/api/equipment", "/api/operator-updates", "/api/subscription/info", "/api/auth/user")
    plan = {"tier": "basic", "billingInterval": "month"}
    beat = 0
    while time.monotonic() < end:
        beat += 1
        due = time.monotonic() + 1
        company = companies[beat % len(companies)]
        for path in reads:
            company.owner.send("GET", path)
        company.report()
        # Each company's every second beat, so that reports wait when a service stops.
        if beat // len(companies) % 2:
            company.decide()
        if beat % 5 == 0:
            company.owner.send("POST", "/api/stripe/webhook", {"id": "evt_1"}, **event)
        if beat % 7 == 0:
            guesser.send("POST", "/api/auth/login", wrong)
        if beat % 20 == 0:
            sign_up(Person(counts), random.getrandbits(40))
        if beat % 15 == 0:
            companies[beat // 15 % len(companies)].owner.send("POST", "/api/create-checkout-session", plan)
        time.sleep(max(0, due - time.monotonic()))
    pathlib.Path(file).write_text(json.dumps(counts))
    print("  responses:", ", ".join(f"{status}: {count}" for status, count in sorted(counts.items())))


def counts(file):
    sent = Counter(json.loads(pathlib.Path(file).read_text()))
    time.sleep(SCRAPE + 2)
    query = 'sum by (status) (hourmeter_http_requests_total{route!~"/healthz|/readyz"})'
    seen = {one["metric"]["status"]: int(one["value"][1])
            for one in ask(PROMETHEUS, "/api/v1/query", query=query)["data"]["result"]}
    check(seen == dict(sent), "Prometheus has", seen, "but the load had", dict(sent))
    print("  the same by status:", sum(seen.values()), "responses")


def expression(text):
    """With the variables as Grafana replaces them: all namespaces and jobs, and its smallest rate interval."""
    return (text.replace("$namespace", ".*").replace("$job", ".*")
            .replace("$__rate_interval", f"{4 * SCRAPE}s"))


def started():
    data = ask(PROMETHEUS, "/api/v1/query", query="min(min_over_time(timestamp(up)[1h:15s]))")["data"]["result"]
    return float(data[0]["value"][1])


def series(query):
    data = ask(PROMETHEUS, "/api/v1/query_range", query=expression(query), start=started(), end=time.time(), step=SCRAPE)
    check(data["status"] == "success" and not data.get("warnings"), query, data.get("warnings"))
    return data["data"]["result"]


def values(one):
    return [(float(at), float(value)) for at, value in one["values"] if value != "NaN"]


def panels():
    for variable in DASHBOARD["templating"]["list"][1:]:
        inner, label = re.fullmatch(r"label_values\((.*), (\w+)\)", variable["query"]["query"]).groups()
        found = sorted({one["metric"].get(label, "") for one in series(inner)})
        print(f"  ${variable['name']}: {found}")
    marks = [mark for mark in DASHBOARD["annotations"]["list"] if mark.get("expr")]
    check(all(series(mark["expr"]) for mark in marks), "no annotation")
    wrong = []
    for panel in DASHBOARD["panels"]:
        found = [[max(value for _, value in values(one)) for one in series(target["expr"]) if values(one)]
                 for target in panel.get("targets", [])]
        if not found:
            continue
        most = max((value for one in found for value in one), default=None)
        title = panel["title"]
        print(f"  {title}: {'+'.join(str(len(one)) for one in found)} series, at most", most)
        if (most is None) != (title in EMPTY) or most == 0 and title not in ZERO:
            wrong.append(title)
    check(not wrong, "empty panels, or panels that should be:", wrong)


def alerts():
    states = {}
    for one in series('ALERTS{alertname!=""}'):
        labels, began = one["metric"], one["values"][0][0] - started()
        key = labels["alertname"], labels["alertstate"]
        of = " ".join(labels[name] for name in ("job", "backend", "key", "outcome", "severity") if name in labels)
        states.setdefault(key, []).append((began, of))
    for (name, state), seen in sorted(states.items(), key=lambda one: one[0]):
        print(f"  {name} {state}:", "; ".join(f"{began:.0f} s {of}" for began, of in sorted(seen)))
    highest = {}
    for name, state in sorted(states):
        # `firing` is before `pending`.
        highest.setdefault(name, state)
    found = {name: state for name, state in highest.items() if name not in POSSIBLE}
    check(found == ALERTS, "not the expected alerts:", set(found.items()) ^ set(ALERTS.items()))
    rules = ask(PROMETHEUS, "/api/v1/rules")["data"]["groups"]
    rules = [rule for group in rules for rule in group["rules"]]
    check(all(rule["health"] == "ok" for rule in rules), [rule for rule in rules if rule["health"] != "ok"])
    print(f"  {len(rules)} rules evaluate without an error")


def contents():
    names, failed = search(), set()
    spans, keys, routes, people = 0, Counter(), set(), []
    for name in names:
        for span in Trace(name).spans.values():
            spans += 1
            routes.add(span["name"])
            if span.get("status", {}).get("code") == "STATUS_CODE_ERROR":
                failed.add(name)
            keys.update(list(span["attributes"]))
            text = json.dumps(span)
            if PEOPLE.search(text):
                people.append(text)
    check(failed, "no trace of a failure")
    check(not people, len(people), "spans with data of people:", people[:2])
    # The requests that carry the mark are among them.
    carriers = {"POST /api/auth/signup", "POST /api/employees", "POST /api/equipment", "POST /api/operator-updates"}
    check(carriers <= routes and keys["db.query.text"] > 100, "not all was searched", carriers - routes, keys)
    print(f"  {len(names)} traces with {spans} spans, {len(failed)} traces with a failure")
    print("  attributes:", ", ".join(sorted(keys)))


def text_of(value, unit):
    """As Grafana writes a value of this unit."""
    if unit == "percentunit":
        return f"{100 * value:.3g}%"
    if unit == "bytes":
        return f"{value / 2**20:.1f} MiB"
    if unit == "s" and value:
        size, name = next((one for one in ((86400, "day"), (3600, "hour"), (60, "min"), (1, "s"), (1e-3, "ms"))
                           if abs(value) >= one[0]), (1e-6, "µs"))
        return f"{value / size:.3g} {name}"
    return f"{value:.3g}" + (" req/s" if unit == "reqps" else "")


def legend_of(target, labels):
    return re.sub(r"\{\{\s*(\w+)\s*\}\}", lambda name: labels.get(name[1], ""), target["legendFormat"])


def draw(panel, axes, below):
    options = panel["fieldConfig"]["defaults"]
    unit, lines, zero = options.get("unit"), [], started()
    dashed = [rule["matcher"]["options"] for rule in panel["fieldConfig"]["overrides"]]
    for target in panel["targets"]:
        for one in series(target["expr"]):
            if values(one):
                lines.append((legend_of(target, one["metric"]), values(one), target["refId"] in dashed))
    if panel["type"] == "stat":
        axes.axis("off")
        # At most four values have room side by side.
        for place, (name, line, _) in enumerate(lines[:4]):
            colour = [step["color"] for step in options["thresholds"]["steps"] if line[-1][1] >= (step["value"] or -1e99)][-1]
            many = len(lines) > 1
            axes.text((place + 0.5) / min(len(lines), 4), 0.45, text_of(line[-1][1], unit), ha="center", va="center",
                      size=9 if many else 15, color={"green": "#37872d", "red": "#c4162a"}.get(colour, "#e0752d"))
            if many:
                axes.text((place + 0.5) / min(len(lines), 4), 0.15, name, ha="center", size=6)
    base, rows = Counter(), []
    custom = options.get("custom", {})
    for name, line, is_dashed in lines if panel["type"] == "timeseries" else []:
        # A gap where Prometheus has no value.
        points, last = [], None
        for at, value in line:
            if custom["stacking"]["mode"] == "normal":
                base[at] += value
                value = base[at]
            if last and at - last > SCRAPE:
                points.append((at, float("nan")))
            points.append((at, value))
            last = at
        if custom["stacking"]["mode"] == "normal":
            axes.fill_between([(at - zero) / 60 for at, _ in points], [value for _, value in points], alpha=0.1)
        drawn, = axes.plot([(at - zero) / 60 for at, _ in points], [value for _, value in points], lw=1,
                           ls="--" if is_dashed else "-")
        rows.append((drawn.get_color(), name, line[-1][1], max(value for _, value in line)))
    if panel["type"] == "timeseries":
        axes.set_xlim(0, (time.time() - zero) / 60)
        axes.set_ylim(bottom=0, top=options.get("max"))
        axes.yaxis.set_major_locator(MaxNLocator(4))
        axes.yaxis.set_major_formatter(lambda value, _: text_of(value, unit))
        axes.tick_params(labelsize=6, length=2, pad=1)
        axes.grid(lw=0.3)
        if custom["thresholdsStyle"]["mode"] == "line":
            for step in options["thresholds"]["steps"][1:]:
                if step["value"] < axes.get_ylim()[1] * 1.01:
                    axes.axhline(step["value"], color="#c4162a", lw=0.7, ls=":")
        # The table of the legend, which Grafana scrolls after as many rows.
        room = 4
        for place, (colour, name, last, most) in enumerate(rows[:room]):
            if place == room - 1 and len(rows) > room:
                colour, name, last, most = "black", f"and {len(rows) - place} more", None, None
            size = 0.9 - place * 0.25
            below.text(0, size, "■", color=colour, size=5, va="center")
            below.text(0.03, size, name[:58], size=6, va="center")
            if last is not None:
                below.text(1, size, f"{text_of(last, unit)}   max {text_of(most, unit)}", size=6, va="center", ha="right")
    if not lines:
        axes.text(0.5, 0.5, options.get("noValue", "No data"), transform=axes.transAxes, ha="center", va="center", size=8, color="gray")


def picture(file):
    import matplotlib
    matplotlib.use("agg")
    global MaxNLocator
    from matplotlib import pyplot
    from matplotlib.ticker import MaxNLocator
    from PIL import Image
    high = max(panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel in DASHBOARD["panels"])
    figure = pyplot.figure(figsize=(11, high * 0.22), dpi=100)
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        left, top, width, height = place["x"] / 24, 1 - place["y"] / high, place["w"] / 24, place["h"] / high
        if panel["type"] == "row":
            figure.text(left + 0.004, top - height / 2, panel["title"], size=9, weight="bold", va="center")
            continue
        figure.text(left + 0.008, top - 0.55 / high, panel["title"], size=7.5, weight="bold", va="center")
        table = 2.2 / high if panel["type"] == "timeseries" else 0
        axes = figure.add_axes((left + 0.05, top - height + table + 0.9 / high, width - 0.06, height - table - 2 / high))
        below = figure.add_axes((left + 0.01, top - height + 0.1 / high, width - 0.02, table or 0.01))
        below.axis("off")
        draw(panel, axes, below)
    figure.savefig(file)
    Image.open(file).convert("RGB").quantize(64, dither=Image.Dither.NONE).save(file, optimize=True)
    print(f"  {pathlib.Path(file).stat().st_size >> 10} KiB")


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
