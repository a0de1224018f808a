// Checks an exported run without Mandate: node check-journal.mjs <export.jsonl> [public-key.pem]
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'

const [file, keyFile] = process.argv.slice(2)
const sha = (text) => createHash('sha256').update(text).digest('hex')
const canonical = (value) => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const keys = Object.keys(value).sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`
}
const lines = readFileSync(file, 'utf8').replace(/\n$/, '').split('\n')
const records = lines.map((line) => JSON.parse(line))
const signed = records.at(-1)?.signature === undefined ? undefined : records.pop()
const problems = []
const check = (holds, seq, what) => holds || problems.push(`entry ${seq}: ${what}`)

// 1. The chain: every entry has its number, follows the one before it, and its hashes are those of its content.
let prev = '0'.repeat(64)
for (const [index, { hash, salt, data, ...body }] of records.entries()) {
  check(body.seq === index + 1 && body.run === records[0].run, index + 1, `is number ${body.seq} of ${body.run}`)
  check(body.prev === prev, index + 1, 'does not follow the entry before it')
  check(hash === sha(canonical(body)), index + 1, 'its hash does not match')
  const erased = salt === null && data === null
  check(erased || body.dataHash === sha(salt + canonical(data)), index + 1, 'its data does not match')
  prev = hash
}

// 2. The signature: the head it vouches for is in this file, and it is one of the key's.
check(keyFile === undefined || signed !== undefined, records.length, 'there is no signature')
if (signed !== undefined) {
  const { signature, ...head } = signed
  check(prev === head.hash && records[0].run === head.run, head.seq, 'was signed as the last one, and is not')
  const text = Buffer.from(`mandate-head:${canonical(head)}`)
  const isOurs = (key) => verify(null, text, createPublicKey(readFileSync(key)), Buffer.from(signature, 'base64'))
  check(keyFile === undefined || isOurs(keyFile), head.seq, 'was not signed by this key')
}

// 3. The gate: nothing was performed that was denied, killed, rejected or expired, twice, or without its approval.
const [over, approved, standing, requests] = [new Set(), new Set(), new Set(), new Map()]
for (const { seq, type, key, data } of records.filter(({ salt }) => salt !== null)) {
  if (type === 'approval-request') requests.set(seq, { ...data, key })
  if (['deny', 'kill'].includes(data?.decision?.verdict)) over.add(key)
  if (type === 'approval-response') {
    const { kind, name, hash, key: of } = requests.get(data.request) ?? {}
    check(of !== undefined, seq, 'answers nothing')
    if (['reject', 'expire'].includes(data.answer)) over.add(of)
    const call = data.edit === undefined ? hash : sha(`${kind}\n${name}\n${canonical(data.edit)}`)
    if (data.answer === 'approve') approved.add(`${of} ${call}`)
    if (data.standing && !data.standing.bound) standing.add(data.standing.tool)
  } else if (data.name === 'standing-approval') standing.add(data.value?.id) // A note: it was given in another run.
  const start = type === 'effect-start' ? data : data?.start // An end may contain its start.
  check(start === undefined || !over.has(key), seq, `"${key}" was performed although it was blocked, or over`)
  const isLifted = approved.has(`${key} ${start?.hash}`) || standing.has(start?.decision.standing ?? start?.name)
  check(start?.decision.verdict !== 'ask' || isLifted, seq, `"${key}" was performed without an approval`)
  if (type === 'effect-end') over.add(key)
}
console.log(problems.length === 0 ? `ok: ${records.length} entries` : problems.join('\n'))
process.exitCode = problems.length === 0 ? 0 : 1
