"""Compares recorded calls of billing, and the answers and events of its fake of Stripe, with Stripe's
definitions: endpoints, parameters, fields, types and enumerations. deploy/proof/stripe calls it:

    stripe-check.py RECORD    a JSON object per line: a call with its answer, or an event

The definitions are the types of Stripe's own library, which Stripe generates from its OpenAPI specification.
"""

import ast
import collections
import functools
import importlib
import json
import pathlib
import re
import sys
import types
import typing
from typing import Any, ClassVar, Literal, Union
from urllib.parse import parse_qsl

import stripe
import typing_extensions
from stripe._api_version import _ApiVersion
from stripe._list_object import ListObject
from stripe._request_options import RequestOptions

# The calls of services/billing. The run fails if one is missing, or if billing makes another.
CALLS = """
GET /v1/billing_portal/configurations
POST /v1/billing_portal/configurations
POST /v1/billing_portal/sessions
POST /v1/checkout/sessions
GET /v1/checkout/sessions/{session}
POST /v1/checkout/sessions/{session}/expire
POST /v1/customers
GET /v1/prices
POST /v1/prices
POST /v1/prices/{price}
POST /v1/products
GET /v1/products/{id}
POST /v1/products/{id}
GET /v1/subscriptions
DELETE /v1/subscriptions/{subscription_exposed_id}
GET /v1/subscriptions/{subscription_exposed_id}
POST /v1/subscriptions/{subscription_exposed_id}
""".split("\n")[1:-1]

# The events that services/billing/README.md lists for the webhook.
EVENTS = """
checkout.session.completed
checkout.session.expired
customer.subscription.created
customer.subscription.deleted
customer.subscription.updated
invoice.paid
invoice.payment_failed
""".split()

Definition = collections.namedtuple("Definition", "parameters answer")


@functools.cache
def names(module):
    """The names in a module's annotations, including those that it imports for type checkers only."""
    found = {**vars(typing), **vars(typing_extensions), **vars(module)}
    for node in ast.walk(ast.parse(pathlib.Path(module.__file__).read_text())):
        if isinstance(node, ast.ImportFrom) and node.module.startswith("stripe"):
            source = importlib.import_module(node.module)
            found.update((name.asname or name.name, getattr(source, name.name)) for name in node.names)
    return found


def resolved(annotations, module):
    holder = types.SimpleNamespace(__annotations__=annotations)
    return typing.get_type_hints(holder, globalns=names(sys.modules[module]))


def endpoints():
    """Each endpoint of the library: method and path, with the module, class and name of its function."""
    found = {}
    folder = pathlib.Path(stripe.__file__).parent
    for file in folder.rglob("_*_service.py"):
        module = ".".join(file.relative_to(folder.parent).with_suffix("").parts)
        classes = (node for node in ast.parse(file.read_text()).body if isinstance(node, ast.ClassDef))
        for owner in classes:
            for function in (node for node in owner.body if isinstance(node, ast.FunctionDef)):
                for call in ast.walk(function):
                    if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "_request":
                        method, path = call.args[0].value, call.args[1]
                        path = path.func.value.value if isinstance(path, ast.Call) else path.value
                        found[method.upper(), path] = (module, owner.name, function.name)
    return found


ENDPOINTS = endpoints()


def endpoint(method, path):
    """The endpoint of a call, or None. A fixed name such as `search` comes before `{id}`."""
    for known in sorted(ENDPOINTS, key=lambda known: known[1].count("{")):
        if known[0] == method and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", known[1]), path):
            return known
    return None


@functools.cache
def definition(known):
    module, owner, function = ENDPOINTS[known]
    function = getattr(getattr(importlib.import_module(module), owner), function)
    kinds = resolved(function.__annotations__, module)
    return Definition(kinds["params"], kinds["return"])


@functools.cache
def fields(kind):
    """The fields of an object, or the parameters of a call, without the library's own options."""
    annotations = {
        name: annotation
        for name, annotation in vars(kind)["__annotations__"].items()
        if not name.startswith("_")
        and not (typing_extensions.is_typeddict(kind) and name in RequestOptions.__annotations__)
        and typing.get_origin(annotation) is not ClassVar
    }
    return resolved(annotations, kind.__module__)


def tree(form):
    """A form's parameters as nested objects: `items[0][price]` as {"items": {"0": {"price": …}}}."""
    found = {}
    for name, value in form:
        place = found
        *path, last = re.findall(r"[^\[\]]+", name)
        for key in path:
            place = place.setdefault(key, {})
        place[last] = value
    return found


def is_scalar(value, kind, form):
    """Whether a value has a scalar type; in a form all values are text."""
    if kind is bool:
        return value in ("true", "false") if form else isinstance(value, bool)
    if kind is int:
        number = re.fullmatch(r"-?\d+", value) if form and isinstance(value, str) else None
        return bool(number) if form else type(value) is int
    if kind is str:
        return isinstance(value, str)
    return None


def faults(value, kind, at, form):
    """How a value differs from a type."""
    origin, kinds = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return []
    if origin in (Union, types.UnionType):
        # Later versions may add values to an enumeration, so the library also accepts any text.
        known = {one for kind in kinds if typing.get_origin(kind) is Literal for one in typing.get_args(kind)}
        if known - {""}:
            kinds = [kind for kind in kinds if kind is not str]
        found = [faults(value, kind, at, form) for kind in kinds]
        # The most precise fault is that of the type that was meant.
        return max(found, key=lambda one: len(one[0].split(": ")[0])) if all(found) else []
    if origin is Literal:
        return [] if value in kinds else [f"{at}: {value!r} is not one of {', '.join(map(str, kinds))}"]
    if kind is type(None):
        return [] if value is None else [f"{at}: not null"]
    if origin is list:
        items = value
        if form:
            numbered = isinstance(value, dict) and list(value) == [str(number) for number in range(len(value))]
            items = list(value.values()) if numbered else None
        if not isinstance(items, list):
            return [f"{at}: {value!r} is not a list"]
        return [fault for n, one in enumerate(items) for fault in faults(one, kinds[0], f"{at}[{n}]", form)]
    scalar = is_scalar(value, kind, form)
    if scalar is not None:
        return [] if scalar else [f"{at}: {value!r} is not of type {kind.__name__}"]
    if not isinstance(value, dict):
        return [f"{at}: {value!r} is not an object"]
    if origin is dict or getattr(origin, "__name__", "") == "UntypedStripeObject":
        return [fault for name, one in value.items() for fault in faults(one, kinds[-1], f"{at}[{name}]", form)]
    if origin is ListObject:
        known, required = {"object": Literal["list"], "data": list[kinds[0]], "has_more": bool, "url": str}, set()
    else:
        known = fields(kind)
        # The fake's objects are parts of Stripe's.
        required = kind.__required_keys__ & known.keys() if form else set()
    found = [f"{at}: {name} is missing" for name in sorted(required - value.keys())]
    for name, one in value.items():
        where = f"{at}[{name}]"
        found += faults(one, known[name], where, form) if name in known else [f"{where}: unknown"]
    return found


def call_faults(known, form):
    return faults(tree(form), definition(known).parameters, "parameters", True)


def renamed(form):
    """The form once per parameter, with the last part of that parameter's name changed."""
    for number, (name, value) in enumerate(form):
        other = re.sub(r"\w+(\]?)$", r"other_name\1", name)
        if "metadata" not in name:
            yield [*form[:number], (other, value), *form[number + 1 :]]


def event_faults(event):
    found = faults(event, stripe.Event, "event", False)
    thing = event["data"]["object"]
    kind = {"checkout.session": stripe.checkout.Session, "subscription": stripe.Subscription,
            "invoice": stripe.Invoice}[thing["object"]]
    return found + faults(thing, kind, event["type"], False)


def main():
    calls, events, errors = collections.Counter(), collections.Counter(), 0
    used, shapes, problems = collections.defaultdict(set), {}, collections.Counter()
    for line in map(json.loads, open(sys.argv[1], encoding="utf-8")):
        if body := line.get("event"):
            # Fails if Stripe's library does not accept the signature. The tests have a clock of their own.
            stripe.WebhookSignature.verify_header(body, line["signature"], line["secret"], tolerance=None)
            event = json.loads(body)
            events[event["type"]] += 1
            problems.update(event_faults(event))
            continue
        method, path, version = line["method"], line["path"], line["version"]
        if version != _ApiVersion.CURRENT:
            problems[f"Stripe-Version is {version}, and the definitions are of {_ApiVersion.CURRENT}"] += 1
        known = endpoint(method, path)
        if known is None:
            problems[f"{method} {path}: unknown endpoint"] += 1
            continue
        name = " ".join(known)
        calls[name] += 1
        form = parse_qsl(line["query" if method == "GET" else "body"], keep_blank_values=True)
        if method != "GET" and line["query"]:
            problems[f"{name}: parameters in the query"] += 1
        used[name].update(re.sub(r"(metadata\]?\[)\w+", r"\1…", re.sub(r"\[\d+\]", "[]", key)) for key, _ in form)
        shapes[known, tuple(sorted(key for key, _ in form))] = form
        problems.update(f"{name}: {fault}" for fault in call_faults(known, form))
        if line["status"] == 200:
            found = faults(line["answer"], definition(known).answer, "answer", False)
        else:
            errors += 1
            found = faults(line["answer"]["error"], stripe.ErrorObject, "error", False)
        problems.update(f"{name}: {fault}" for fault in found)

    changed = [(known, form) for (known, _), form in shapes.items() for form in renamed(form)]
    accepted = [f"{known}: {form} was accepted" for known, form in changed if not call_faults(known, form)]
    for missing in [name for name in CALLS if not calls[name]] + [name for name in EVENTS if not events[name]]:
        problems[f"{missing}: not recorded"] += 1
    for name in calls.keys() - set(CALLS):
        problems[f"{name}: not in the list of calls"] += 1

    print(f"Stripe's definitions of {_ApiVersion.CURRENT}: {len(ENDPOINTS)} endpoints\n")
    print("| call | times | parameters |\n| --- | --- | --- |")
    for name in sorted(calls, key=lambda name: name.split()[::-1]):
        print(f"| {name} | {calls[name]} | {', '.join(sorted(used[name])) or '-'} |")
    print("\n| event | times |\n| --- | --- |")
    for name in sorted(events):
        print(f"| {name} | {events[name]} |")
    print(f"\n{calls.total()} calls, {errors} of them answered with an error; {events.total()} events.")
    print(f"{len(shapes)} different sets of parameters; {len(changed)} changed ones, {len(accepted)} accepted.")
    for problem, times in sorted(problems.items()):
        print(f"{times} x {problem}", file=sys.stderr)
    print(*accepted, sep="\n", end="", file=sys.stderr)
    sys.exit(1 if problems or accepted or not changed else 0)


main()
