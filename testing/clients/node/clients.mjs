// Drives a running cluster through Node's etcd3:  node clients.mjs ENDPOINTS LEADER_COMMAND
// ENDPOINTS is a comma list; "LEADER_COMMAND kill" kills the leader, "LEADER_COMMAND restart" starts
// it again. Prints one line per check; ends with the counts and 1 when one failed.
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Etcd3, EtcdLockFailedError, EtcdLeaseInvalidError } from 'etcd3';

const [endpoints, leader] = process.argv.slice(2);
const hosts = endpoints.split(',');
const ttl = 60; // seconds; elections take far less, but a busy machine may be slow
const keptTtl = 20;
const pause = 20; // between the steps: this is no load test
let passed = 0;
let failed = 0;

function check(name, expected, found) {
  const [e, f] = [JSON.stringify(expected), JSON.stringify(found)];
  if (e === f) { passed++; console.log('ok', name); }
  else { failed++; console.log(`FAILED ${name}: expected [${e}], found [${f}]`); }
}

function end() {
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}

function giveUp(why) {
  failed++;
  console.log(`FAILED to go on: ${why?.stack ?? why}`);
  end();
}

// Repeats what may fail while the members elect, for a minute.
async function eventually(what, attempt) {
  let last;
  for (const stop = Date.now() + 60_000; Date.now() < stop; await sleep(50)) {
    try { return await attempt(); } catch (e) { last = e; }
  }
  throw new Error(`${what}: ${last?.stack ?? last}`);
}

async function reaches(condition) {
  for (const stop = Date.now() + 60_000; Date.now() < stop && !condition(); ) await sleep(20);
  return condition();
}

// The class of an error that should come.
const failure = promise => promise.then(() => 'none', e => e.constructor.name);

async function keyValue(client) {
  const put = await client.put('kv/a').value('3');
  await client.put('kv/b').value('1');
  await client.put('kv/c').value(2);
  check('get', '3', await client.get('kv/a').string());
  check('a number', 2, await client.get('kv/c').number());
  check('a key that is not there', null, await client.get('kv/none'));
  check('exists', true, await client.get('kv/a').exists());
  check('json', [1, { b: 2 }], await client.put('kv/j').value(JSON.stringify([1, { b: 2 }])).then(() => client.get('kv/j').json()));
  check('binary', 'ff00fe', (await client.put('kv/bin').value(Buffer.from('ff00fe', 'hex')).then(() => client.get('kv/bin').buffer())).toString('hex'));
  await client.delete().key('kv/j');
  await client.delete().key('kv/bin');
  const all = () => client.getAll().prefix('kv/');
  check('prefix', { 'kv/a': '3', 'kv/b': '1', 'kv/c': '2' }, await all().strings());
  check('numbers', { 'kv/a': 3, 'kv/b': 1, 'kv/c': 2 }, await all().numbers());
  check('keys, descending', ['kv/c', 'kv/b', 'kv/a'], await all().sort('Key', 'Descend').keys());
  check('by value', ['kv/b', 'kv/c', 'kv/a'], await all().sort('Value', 'Ascend').keys());
  check('limit', ['kv/a'], await all().limit(1).keys());
  check('count', 3, await all().count());
  check('serializable', 3, await all().serializable(true).count());
  check('range', { 'kv/a': '3', 'kv/b': '1' }, await client.getAll().inRange({ start: 'kv/a', end: 'kv/c' }).strings());
  check('previous value', '3', (await client.put('kv/a').value('4').getPrevious()).value.toString());
  check('at a revision', '3', await client.get('kv/a').revision(put.header.revision).string());
  check('modified at most', ['kv/b'], await all().maxModRevision(Number(put.header.revision) + 1).keys());
  check('created at least', ['kv/b', 'kv/c'], await all().minCreateRevision(Number(put.header.revision) + 1).keys());
  check('touch', '4', await client.put('kv/a').touch().then(() => client.get('kv/a').string()));
  check('delete with previous', '4', (await client.delete().key('kv/a').getPrevious())[0].value.toString());
  check('delete a prefix', '2', (await client.delete().prefix('kv/')).deleted);
}

async function transactions(client) {
  await client.put('txn/a').value('m');
  const yes = await client.if('txn/a', 'Value', '==', 'm').and('txn/a', 'Version', '>', 0)
    .then(client.put('txn/b').value('then'), client.get('txn/a')).else(client.put('txn/b').value('else')).commit();
  check('succeeded', true, yes.succeeded);
  check('reads in it', 'm', yes.responses[1].response_range.kvs[0].value.toString());
  const no = await client.if('txn/none', 'Create', '!=', 0).then(client.delete().key('txn/b')).else(client.get('txn/b')).commit();
  check('not succeeded', [false, 'then'], [no.succeeded, no.responses[0].response_range.kvs[0].value.toString()]);
  check('less', true, (await client.if('txn/a', 'Value', '<', 'n').then().commit()).succeeded);
  check('mod revision', false, (await client.if('txn/a', 'Mod', '<', 1).then().commit()).succeeded);
  check('lease', true, (await client.if('txn/a', 'Lease', '==', 0).then().commit()).succeeded);
  const stm = await client.stm().transact(async tx => {
    const before = await tx.get('txn/a').string();
    await tx.put('txn/a').value(before + '+');
    return before;
  });
  check('software transaction', ['m', 'm+'], [stm, await client.get('txn/a').string()]);
}

async function watches(client) {
  const first = (await client.put('watch/a').value('1')).header.revision;
  await client.put('watch/a').value('2');
  const said = [];
  const watcher = await client.watch().prefix('watch/').startRevision(first).withPreviousKV().create();
  watcher.on('put', (kv, before) => said.push(`put ${kv.value} was ${before?.value ?? ''}`));
  watcher.on('delete', (kv, before) => said.push(`delete ${kv.key} was ${before?.value ?? ''}`));
  await client.delete().key('watch/a');
  await reaches(() => said.length >= 3);
  check('watch with history', ['put 1 was ', 'put 2 was 1', 'delete watch/a was 2'], said);
  await watcher.cancel();
  const deletes = [];
  const only = await client.watch().prefix('watch/').startRevision(first).only('delete').create();
  only.on('data', r => r.events.forEach(e => deletes.push(e.type)));
  await reaches(() => deletes.length >= 1);
  check('deletes only', ['Delete'], deletes);
  await only.cancel();
}

async function leases(client) {
  const lease = client.lease(ttl);
  await lease.put('lease/a').value('1');
  check('leased', '1', await client.get('lease/a').string());
  check('keep alive', String(ttl), (await lease.keepaliveOnce()).TTL);
  await lease.revoke();
  check('revoked', null, await client.get('lease/a').string());
  check('put with a revoked lease', 'EtcdLeaseInvalidError', await failure(lease.put('lease/b').value('1').exec()));
  const short = client.lease(1, { autoKeepAlive: false });
  await short.put('lease/short').value('1');
  let gone = false;
  await eventually('expiry', async () => { gone = !(await client.get('lease/short').exists()); if (!gone) throw new Error('still there'); });
  check('expires', true, gone);
}

async function namespaces(client) {
  const inside = client.namespace('ns/');
  await inside.put('a').value('1');
  check('namespace, from inside', { a: '1' }, await inside.getAll().strings());
  check('namespace, from outside', { 'ns/a': '1' }, await client.getAll().prefix('ns/').strings());
  await inside.lock('l').do(async () => check('namespace, locked', true, await client.get('ns/l').exists()));
  check('namespace, unlocked', false, await client.get('ns/l').exists());
}

async function locks(client) {
  const lock = client.lock('lock/a').ttl(ttl);
  await lock.acquire();
  check('locked by another', 'EtcdLockFailedError', await failure(client.lock('lock/a').acquire()));
  await lock.release();
  check('free again', 'held', await client.lock('lock/a').do(() => 'held'));
}

// What goes on while the leader is killed; each activity counts its steps until it is stopped.
class Failover {
  constructor() {
    this.client = new Etcd3({ hosts });
    this.watching = new Etcd3({ hosts });
    this.running = true;
    this.steps = {};
    this.events = [];
    this.acked = new Map();
    this.tasks = [];
    this.locked = 0;
    this.counted = 0;
  }

  run(name, body) {
    this.steps[name] = 0;
    this.tasks.push((async () => { while (this.running) { await body(this.steps[name]); this.steps[name]++; await sleep(pause); } })().catch(giveUp));
  }

  async start() {
    const { client } = this;
    this.first = (await client.put('fail/start').value('')).header.revision;
    this.watcher = await this.watching.watch().prefix('fail/').startRevision(this.first).create();
    this.watcher.on('data', r => r.events.forEach(e => this.events.push(show(e))));
    this.watcher.on('error', giveUp);
    this.run('puts', async i => {
      const key = `fail/${String(i).padStart(6, '0')}`;
      const answer = await eventually('put', () => client.put(key).value(key));
      this.acked.set(key, answer.header.revision);
    });
    this.lease = client.lease(keptTtl);
    this.lease.on('lost', giveUp);
    this.lease.on('keepaliveSucceeded', () => this.steps['keep-alives']++);
    this.steps['keep-alives'] = 0;
    await this.lease.put('leased').value('1');
    for (let w = 0; w < 2; w++) {
      this.run(`locks ${w}`, () => this.underLock());
      this.run(`transactions ${w}`, i => this.increment(`stm/${w}/${i}`));
    }
    this.election = client.election('election', ttl);
    this.campaign = this.election.campaign('first');
    this.campaign.on('error', giveUp);
    await this.campaign.wait();
    this.run('proclamations', async i => { await eventually('proclaim', () => this.campaign.proclaim(`first ${i}`)); });
  }

  // Counts with a get and a put that guard nothing by themselves.
  async underLock() {
    const { client } = this;
    let lock = client.lock('lock/count').ttl(ttl);
    while (!(await this.acquire(lock))) {
      if (!this.running) return;
      await sleep(20);
      lock = client.lock('lock/count').ttl(ttl);
    }
    const value = await eventually('read', () => client.get('locked').number());
    await eventually('write', () => client.put('locked').value((value ?? 0) + 1));
    this.locked++;
    await eventually('release', () => lock.release().catch(ignoreGone));
  }

  async acquire(lock) {
    try {
      await lock.acquire();
      return true;
    } catch (e) {
      // With another error it may be held all the same: give it back, if it got as far as a lease.
      const granted = await lock.leaseId().catch(() => null);
      if (!(e instanceof EtcdLockFailedError) && granted) await eventually('release', () => lock.release().catch(ignoreGone));
      return false;
    }
  }

  // The marker tells whether an attempt of unknown outcome was applied.
  async increment(marker) {
    await eventually('transaction', async () => {
      if (await this.client.get(marker).exists()) return;
      const kv = (await this.client.get('counter').exec()).kvs[0];
      const answer = await this.client.if('counter', 'Mod', '==', kv?.mod_revision ?? 0).and(marker, 'Create', '==', 0)
        .then(this.client.put('counter').value(Number(kv?.value ?? 0) + 1), this.client.put(marker).value('done')).commit();
      if (!answer.succeeded) throw new Error('contended');
    });
    this.counted++;
  }

  async progress(when) {
    for (const name of Object.keys(this.steps)) {
      const target = this.steps[name] + (name === 'keep-alives' ? 1 : 3);
      check(`${name} go on ${when}`, true, await reaches(() => this.steps[name] >= target));
    }
  }

  async finish() {
    const { client } = this;
    this.running = false;
    await Promise.all(this.tasks);
    const last = (await client.put('fail/end').value('')).header.revision;
    check('the watch reaches the end', true, await reaches(() => this.events.at(-1)?.startsWith(`${last} `)));
    const history = [];
    const fresh = await client.watch().prefix('fail/').startRevision(this.first).create();
    fresh.on('data', r => r.events.forEach(e => history.push(show(e))));
    await reaches(() => history.at(-1)?.startsWith(`${last} `));
    await fresh.cancel();
    check('the resumed watch saw all of history, once, in order', 'same', difference(history, this.events));
    const seen = new Set(this.events);
    check('every acknowledged put was seen', 0, [...this.acked].filter(([key, revision]) => !seen.has(`${revision} Put ${key}=${key}`)).length);
    check('increments under the lock', this.locked, await client.get('locked').number());
    check('increments by transactions', this.counted, await client.get('counter').number());
    check('the lease lives', '1', await client.get('leased').string());
    const second = this.election.campaign('second');
    second.on('error', giveUp);
    check('the leader of before still leads', true, (await this.election.leader()).startsWith('first '));
    const observer = await this.election.observe();
    // Before the first resigns: a wait that begins after the second has won has no end.
    const won = second.wait();
    await this.campaign.resign();
    await won;
    check('the second candidate wins', 'second', await this.election.leader());
    check('it is observed', true, await reaches(() => observer.leader() === 'second'));
    await observer.cancel();
    await second.resign();
    await this.lease.revoke();
    check('revoked at the end', false, await client.get('leased').exists());
  }
}

function difference(expected, found) {
  const i = [...expected, ...found].findIndex((_, i) => expected[i] !== found[i]);
  return i < 0 || (i >= expected.length && i >= found.length) ? 'same' : `event ${i}: ${expected[i]} / ${found[i]}`;
}

const show = e => `${e.kv.mod_revision} ${e.type} ${e.kv.key}=${e.kv.value}`;
const ignoreGone = e => { if (!(e instanceof EtcdLeaseInvalidError)) throw e; };

async function control(what) {
  const { stdout } = await promisify(execFile)(leader, [what]);
  console.log(`-- ${what}: ${stdout.trim()}`);
}

setTimeout(() => giveUp('eight minutes have passed'), 480_000).unref();

try {
  const client = new Etcd3({ hosts });
  await keyValue(client);
  await transactions(client);
  await watches(client);
  await leases(client);
  await namespaces(client);
  await locks(client);
  const failover = new Failover();
  await failover.start();
  await failover.progress('before the leader\'s death');
  await control('kill');
  await failover.progress('after the leader\'s death');
  await control('restart');
  await failover.progress('after its return');
  await failover.finish();
} catch (e) {
  giveUp(e);
}
end();
