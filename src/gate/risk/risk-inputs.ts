import type { Json, JsonObject } from '../../core/index.ts'
import type { Risk } from '../../tool/index.ts'
import { isDestructiveCommand } from './risk-commands.ts'

/** Input fields that suggest a risk, by category. */
const RISKY_FIELDS = {
  command: ['cmd', 'command', 'commands', 'script', 'shell', 'commandline'],
  statement: ['sql', 'query', 'statement'],
  url: ['url', 'uri', 'endpoint', 'href'],
  path: ['path', 'file', 'filename', 'filepath', 'dir', 'directory', 'target', 'destination', 'dest'],
  method: ['method', 'verb'],
} as const

type Look = (text: string, input: JsonObject) => Risk | undefined

const look = (judge: Look, names: readonly string[]): (readonly [string, Look])[] => names.map((name) => [name, judge])

/** The check of an input member, by its name. */
const LOOKS: ReadonlyMap<string, Look> = new Map([
  ...look(ofCommand, RISKY_FIELDS.command),
  ...look(ofStatement, RISKY_FIELDS.statement),
  ...look(ofUrl, RISKY_FIELDS.url),
  ...look(ofPath, RISKY_FIELDS.path),
  ...look(ofMethod, RISKY_FIELDS.method),
])

/** A tool that is declared to read takes search terms under `query`, where "DROP TABLE" is a text like any other. */
const READING_LOOKS: ReadonlyMap<string, Look> = new Map([...LOOKS].filter(([name]) => name !== 'query'))

const RANK: { readonly [R in Risk]: number } = { read: 0, write: 1, exec: 2, destructive: 3 }
const DEPTH_MAX = 4
const MEMBERS_MAX = 256

/**
 * The risk that an input suggests, for a tool that is declared to read (`onlyReads`) too: destructive commands and statements, methods that write,
 * paths whose content is executed. `undefined` if there is none.
 */
export function riskOfInput(input: Json, onlyReads = false): Risk | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  const seen: Seen = { members: 0, best: undefined, looks: onlyReads ? READING_LOOKS : LOOKS }
  visit(input, '', seen, 0)
  return seen.best
}

interface Seen {
  members: number
  best: Risk | undefined
  readonly looks: ReadonlyMap<string, Look>
}

function visit(value: Json, name: string, seen: Seen, depth: number): void {
  if (depth > DEPTH_MAX || typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    const judge = seen.looks.get(name)
    // `['rm', '-rf', '/']` is a command line in parts, or a list of command lines.
    if (judge === ofCommand)
      raise(seen, ofCommand((value as readonly Json[]).filter((item) => typeof item === 'string').join(' ')))
    for (const item of value as readonly Json[]) {
      if ((seen.members += 1) > MEMBERS_MAX) return
      if (typeof item === 'string') raise(seen, judge?.(item, {}))
      else visit(item, name, seen, depth + 1)
    }
    return
  }
  const members = value as JsonObject
  for (const key in members) {
    if (!Object.hasOwn(members, key)) continue
    if ((seen.members += 1) > MEMBERS_MAX) return
    const member = members[key]!
    if (typeof member === 'string') raise(seen, seen.looks.get(key.toLowerCase())?.(member, members))
    else if (typeof member === 'object' && member !== null) visit(member, key.toLowerCase(), seen, depth + 1)
  }
}

function raise(seen: { best: Risk | undefined }, risk: Risk | undefined): void {
  if (risk !== undefined && (seen.best === undefined || RANK[risk] > RANK[seen.best])) seen.best = risk
}

function ofCommand(text: string): Risk | undefined {
  return isDestructiveCommand(text) ? 'destructive' : undefined
}

const STATEMENTS: readonly (readonly [RegExp, Risk])[] = [
  [/^(drop|truncate|delete|alter|grant|revoke)\s/i, 'destructive'],
  [/^(insert|update|replace|merge|create|upsert|vacuum|attach)\s/i, 'write'],
  [/^(exec|execute|call|copy|do)\s/i, 'exec'],
]

/** A statement is distinguished from a search term by its first keyword and what follows it. */
function ofStatement(text: string): Risk | undefined {
  let best: Risk | undefined
  for (const part of text.slice(0, 20_000).split(';')) {
    const statement = part.replaceAll(/--[^\n]*|\/\*[^*]*\*\//g, ' ').trim()
    for (const [pattern, risk] of STATEMENTS) {
      const isStatement =
        pattern.test(statement) &&
        /\b(table|from|into|set|database|schema|index|view|on|to|column|user|role|as)\b/i.test(statement)
      if (isStatement && (best === undefined || RANK[risk] > RANK[best])) best = risk
    }
    if (/^with\s/i.test(statement) && /\b(delete\s+from|drop\s+table|truncate\s)/i.test(statement)) best = 'destructive'
  }
  return best
}

/** Names and addresses of the host's own network; a host that is a single number is an encoded address. */
const LOCAL_HOST =
  /^(localhost|.*\.localhost|.*\.internal|.*\.local|(127|10|0)\.[\d.]*|192\.168\.[\d.]+|169\.254\.[\d.]+|172\.(1[6-9]|2\d|3[01])\.[\d.]+|\d+|0x[\da-f.x]+|\[.*\])$/i

/** Inside the host's own network a request may be a command, whatever its method. */
function ofUrl(text: string): Risk | undefined {
  const match = /^\s*([a-z][a-z0-9+.-]*):(?:\/\/(?:[^/?#@]*@)?(\[[^\]]*\]|[^/?#:]*))?/i.exec(text)
  if (match === null) return undefined
  const scheme = match[1]!.toLowerCase()
  if (scheme !== 'http' && scheme !== 'https')
    return scheme === 'file' || scheme === 'gopher' || scheme === 'ftp' ? 'exec' : undefined
  return LOCAL_HOST.test(match[2] ?? '') ? 'exec' : undefined
}

function ofMethod(text: string, input: JsonObject): Risk | undefined {
  if (!Object.hasOwn(input, 'url') && !Object.hasOwn(input, 'uri') && !Object.hasOwn(input, 'endpoint'))
    return undefined
  const method = text.trim().toUpperCase()
  if (method === 'DELETE') return 'destructive'
  return method === 'POST' || method === 'PUT' || method === 'PATCH' ? 'write' : undefined
}

const SYSTEM_PATH =
  /^(\/(etc|usr|bin|sbin|boot|dev|sys|proc|lib|lib64|root)(\/|$)|~|[a-z]:[\\/](windows|program files)|\\\\)/i
const HIDDEN_PATH =
  /(^|[\\/])(\.ssh|\.aws|\.gnupg|\.kube|\.git[\\/]hooks|\.env|\.bashrc|\.zshrc|\.profile|\.npmrc|authorized_keys|crontab)([\\/]|$)/i
const DEVICE_PATH = /^\/dev\/(sd|nvme|hd|vd|mem|kmem|disk|mapper)/i

/** The risk of a path, should something be written there; other members show whether it is. */
function ofPath(text: string): Risk | undefined {
  if (DEVICE_PATH.test(text)) return 'destructive'
  const climbs = /(^|[\\/])\.\.([\\/]|$)/.test(text)
  return climbs || SYSTEM_PATH.test(text) || HIDDEN_PATH.test(text) ? 'exec' : undefined
}
