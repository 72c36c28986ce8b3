#!/usr/bin/env python3
"""Records what a real etcd answers to a scripted history, for GoldenHistoryTest.

Usage: record.py SEED OPERATIONS [http://127.0.0.1:2379] > history-SEED.txt
Needs a fresh, empty etcd 3.7.1. Talks to its JSON gateway. Each operation is one line, the
answer follows on a line that begins with "= ". Operations a server refuses before its store sees
them (validation) are left out.

  put KEY VALUE LEASE FLAGS            flags: p prev_kv, v ignore_value, l ignore_lease, - none
  del KEY END FLAGS
  range KEY END REV LIMIT ORDER TARGET FLAGS MINMOD MAXMOD MINCREATE MAXCREATE
                                       flags: k keys_only, c count_only, - none
  txn CMP,CMP ? OP | OP : OP | OP      CMP = TARGET/KEY/END/OPERATOR/OPERAND; none: -
  grant ID, revoke ID, compact REV, hash REV
"-" is an empty string, "^" one zero byte.
"""
import base64, json, random, sys, urllib.error, urllib.request

seed, count = int(sys.argv[1]), int(sys.argv[2])
url = sys.argv[3] if len(sys.argv) > 3 else "http://127.0.0.1:2379"
rnd = random.Random(seed)
KEYS = ["a", "aa", "ab", "b", "ba", "c", "d", "e"]
ENDS = ["-", "-", "-", "^", "b", "c", "f", "aaa", "a"]
VALUES = ["-", "x", "y", "z", "xx", "longer-value-%d"]
ORDERS = ["NONE", "ASCEND", "DESCEND"]
TARGETS = ["KEY", "VERSION", "CREATE", "MOD", "VALUE"]
revision, compacted, leases, next_lease = 1, -1, [], 100
REFUSED = ("duplicate key", "too many op", "key is not provided", "value is provided",
           "lease is provided", "invalid sort")


def b(text):
    raw = b"" if text == "-" else b"\0" if text == "^" else text.encode()
    return base64.b64encode(raw).decode()


def call(path, body):
    req = urllib.request.Request(url + path, json.dumps(body).encode())
    try:
        with urllib.request.urlopen(req) as r:
            return json.load(r), None
    except urllib.error.HTTPError as e:
        return None, json.load(e)["message"]


def text(b64):
    return base64.b64decode(b64 or "").decode() or "-"


def kv(p):
    return ":".join([text(p.get("key")), text(p.get("value")), p.get("create_revision", "0"),
                     p.get("mod_revision", "0"), p.get("version", "0"), p.get("lease", "0")])


def kvs(list_):
    return ",".join(kv(p) for p in list_ or []) or "-"


def put_body(w):
    f = w[4]
    return {"key": b(w[1]), "value": b(w[2]), "lease": w[3], "prev_kv": "p" in f,
            "ignore_value": "v" in f, "ignore_lease": "l" in f}


def del_body(w):
    return {"key": b(w[1]), "range_end": b(w[2]), "prev_kv": "p" in w[3]}


def range_body(w):
    return {"key": b(w[1]), "range_end": b(w[2]), "revision": w[3], "limit": w[4],
            "sort_order": w[5], "sort_target": w[6], "keys_only": "k" in w[7],
            "count_only": "c" in w[7], "min_mod_revision": w[8], "max_mod_revision": w[9],
            "min_create_revision": w[10], "max_create_revision": w[11]}


def compare_body(c):
    target, key, end, op, operand = c.split("/")
    field = {"VERSION": "version", "CREATE": "create_revision", "MOD": "mod_revision",
             "VALUE": "value", "LEASE": "lease"}[target]
    return {"target": target, "key": b(key), "range_end": b(end), "result": op,
            field: b(operand) if target == "VALUE" else operand}


def op_body(op):
    w = op.split()
    if w[0] == "put":
        return {"request_put": put_body(w)}
    if w[0] == "del":
        return {"request_delete_range": del_body(w)}
    return {"request_range": range_body(w)}


def rev(r):
    return r.get("header", {}).get("revision", "0")


def show_put(r):
    return f"put rev={rev(r)} prev={kv(r['prev_kv']) if 'prev_kv' in r else '-'}"


def show_del(r):
    return f"del rev={rev(r)} deleted={r.get('deleted', '0')} prev={kvs(r.get('prev_kvs'))}"


def show_range(r):
    more = str(r.get("more", False)).lower()
    return f"range rev={rev(r)} count={r.get('count', '0')} more={more} kvs={kvs(r.get('kvs'))}"


def show_response(r):
    if "response_put" in r:
        return show_put(r["response_put"])
    if "response_delete_range" in r:
        return show_del(r["response_delete_range"])
    return show_range(r["response_range"])


def run(line):
    w = line.split()
    if w[0] == "put":
        r, e = call("/v3/kv/put", put_body(w))
        return e or show_put(r), e
    if w[0] == "del":
        r, e = call("/v3/kv/deleterange", del_body(w))
        return e or show_del(r), e
    if w[0] == "range":
        r, e = call("/v3/kv/range", range_body(w))
        return e or show_range(r), e
    if w[0] == "txn":
        cmps, rest = line[4:].split(" ? ")
        yes, no = rest.split(" : ")
        ops = lambda s: [op_body(o) for o in s.split(" | ") if o != "-"]
        r, e = call("/v3/kv/txn", {"compare": [compare_body(c) for c in cmps.split(",")
                                               if c != "-"],
                                   "success": ops(yes), "failure": ops(no)})
        if e:
            return e, e
        return (f"txn rev={rev(r)} ok={str(r.get('succeeded', False)).lower()} ["
                + "; ".join(show_response(x) for x in r.get("responses", [])) + "]"), e
    if w[0] == "grant":
        r, e = call("/v3/lease/grant", {"ID": w[1], "TTL": 100000})
        return e or "ok", e
    if w[0] == "revoke":
        r, e = call("/v3/lease/revoke", {"ID": w[1]})
        return e or f"ok rev={rev(r)}", e
    if w[0] == "compact":
        r, e = call("/v3/kv/compaction", {"revision": w[1], "physical": True})
        return e or f"ok rev={rev(r)}", e
    r, e = call("/v3/maintenance/hashkv", {"revision": w[1]})
    return e or (f"hash={r['hash']} compact={r.get('compact_revision', '0')} "
                 f"at={r.get('hash_revision', '0')} rev={rev(r)}"), e


def some_revision():
    return rnd.choice([0, 0, revision, revision + 1, max(0, compacted), max(0, compacted - 1),
                       rnd.randint(max(0, compacted), revision)])


def put_line(ignore=True):
    value = rnd.choice(VALUES)
    value = value % rnd.randint(0, 99) if "%" in value else value
    lease = rnd.choice(leases + [0, 0, 0, 99]) if rnd.random() < .3 else 0
    flags = rnd.choice(["-", "p", "-", "p", "v", "l", "vp", "lp", "vl"] if ignore else ["-", "p"])
    if "v" in flags:
        value = "-"
    if "l" in flags:
        lease = 0
    return f"put {rnd.choice(KEYS)} {value} {lease} {flags}"


def del_line():
    return f"del {rnd.choice(KEYS)} {rnd.choice(ENDS)} {rnd.choice('-p')}"


def range_line():
    bound = lambda: rnd.randint(1, revision) if rnd.random() < .12 else 0
    end = rnd.choice(ENDS + ["^", "f"])
    return (f"range {rnd.choice(KEYS)} {end} {some_revision()} {rnd.choice([0, 0, 1, 2, 3, 5, -1])}"
            f" {rnd.choice(ORDERS)} {rnd.choice(TARGETS)} {rnd.choice(['-', '-', 'k', 'c', 'kc'])}"
            f" {bound()} {bound()} {bound()} {bound()}")


def compare():
    target = rnd.choice(["VERSION", "CREATE", "MOD", "VALUE", "LEASE"])
    operand = {"VERSION": rnd.randint(0, 4), "VALUE": rnd.choice(["-", "x", "y", "xx"]),
               "LEASE": rnd.choice(leases + [0])}.get(target, rnd.choice([0, rnd.randint(1, revision)]))
    return (f"{target}/{rnd.choice(KEYS)}/{rnd.choice(ENDS)}/"
            f"{rnd.choice(['EQUAL', 'GREATER', 'LESS', 'NOT_EQUAL'])}/{operand}")


def txn_line():
    def branch():
        # A put that ignores its value after a deletion from its key on would end the real server.
        ops, deleted = [], False
        for _ in range(rnd.randint(0, 4)):
            kind = rnd.random()
            if kind < .5:
                ops.append(put_line(ignore=not deleted))
            elif kind < .75:
                ops.append(del_line())
                deleted = True
            else:
                ops.append(range_line())
        return " | ".join(ops) or "-"
    cmps = ",".join(compare() for _ in range(rnd.randint(0, 2))) or "-"
    return f"txn {cmps} ? {branch()} : {branch()}"


def next_line():
    global next_lease
    kind = rnd.random()
    if kind < .30:
        return put_line()
    if kind < .40:
        return del_line()
    if kind < .60:
        return txn_line()
    if kind < .82:
        return range_line()
    if kind < .84:
        next_lease += 1
        return f"grant {next_lease}"
    if kind < .85:
        return f"revoke {rnd.choice(leases + [98])}"
    if kind < .885:
        return f"compact {rnd.choice([revision, rnd.randint(max(0, compacted), revision), compacted, revision + 1])}"
    return f"hash {some_revision() or revision}"


print(f"# recorded from etcd 3.7.1: record.py {seed} {count}")
for _ in range(count):
    line = next_line()
    answer, error = run(line)
    if error and any(r in error for r in REFUSED):
        continue
    print(line)
    print(("= error " if error else "= ") + answer)
    if error:
        continue
    if line.startswith("grant"):
        leases.append(next_lease)
    elif line.startswith("revoke"):
        leases.remove(int(line.split()[1]))
    elif line.startswith("compact"):
        compacted = int(line.split()[1])
    found = [int(p.split("=")[1]) for p in answer.replace("[", " ").split() if p.startswith("rev=")]
    revision = max([revision] + found)
