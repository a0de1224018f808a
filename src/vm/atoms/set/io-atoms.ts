import { atomRows } from './core-table.ts'
import { ioAtom } from './io-atom.ts'
import type { Checked } from './io-atom.ts'
import { IO_WORK } from './io-work.ts'
import type { AnyAtom, AtomCost } from '../atom.ts'

/** Default number of results of a vector search. */
const NEIGHBOURS = 5
/** Default inputs by operation. */
const DEFAULTS: Readonly<Record<string, Checked>> = { storeVectorSearch: { k: NEIGHBOURS } }

/** One per line: operation; fields; result; cost; flags; description. */
const TABLE = `
httpFetch; url:string method:string? headers:record? body? responseType:string?; any; 5; 30000; Fetches a URL: JSON or text by its type, base64 with responseType "dataUrl".
storeGet; key:string; any; 5; read again; The value under a key; null when there is none.
storeSet; key:string value; any; 5; write again; Keeps a value under a key.
storeQuery; query; list; 5; read again; What the store finds for a query.
storeQueryWhere; predicate:record collection:string? limit:size?; list; 5; read again; What the store finds for a predicate that it evaluates itself.
storeVectorSearch; collection:string vector:numbers k:size?; list; search; read again; The k nearest documents of a collection.
llmPredict; prompt:string options:record?; any; 100; 120000 read again; Asks a model.
sleep; ms:number; any; 1; 0 read again; Waits for some milliseconds; under the kernel a long wait suspends the run.
waitUntil; time; any; 1; 0 read again; Waits until a date and time: text, or milliseconds since 1970.
xmlParse; str:string; any; 1; pure; The value that an XML text says, as the host reads it.
agentRun; agentId input:record? fuel:number?; any; 1; 0; Runs another agent by its id, or a procedure or program with this run's fuel; \`fuel\` gives it a part.
transpileCode; code:string; record; code; pure; The program that a script says.
runCode; code:string args:record?; any; code; 0 pure; Runs a script with its own variables and this run's fuel.
storeProcedure; ast:record ttl:size0? maxSize:size0?; string; 1; pure; Keeps a program and gives a token for it, for an hour or \`ttl\` milliseconds.
releaseProcedure; token:string; boolean; 0.1; pure; Forgets a procedure; says whether there was one.
clearExpiredProcedures; -; number; 0.5; pure; Forgets procedures whose time is over; says how many.
`

/** The cost of a vector search grows with `k`. */
export function searchCost({ k }: Checked): number {
  return 5 + (Number.isInteger(k) && k > 0 && k <= 1_000 ? Number(k) : NEIGHBOURS)
}

/** Computed before the input is checked, so the input may be anything. */
function codeCost({ code }: Checked): number {
  return 1 + (typeof code === 'string' ? code.length * 0.001 : 0)
}

const COSTS: Readonly<Record<string, AtomCost<Checked>>> = { search: searchCost, code: codeCost }

/** I/O atoms: they use capabilities of the host, or run other programs. */
export const IO_ATOMS: readonly AnyAtom[] = atomRows(TABLE).map(({ op, input, output, cost, how, docs }) =>
  ioAtom({
    ...{ op, input, output, docs },
    cost: COSTS[cost] ?? Number(cost),
    timeoutMs: how.map(Number).find((ms) => ms >= 0),
    effects: how.includes('pure') ? 'pure' : 'io',
    risk: (['read', 'write'] as const).find((risk) => how.includes(risk)),
    idempotent: how.includes('again') || undefined,
    exec: (given, ctx) => IO_WORK[op]!({ ...DEFAULTS[op], ...given }, ctx),
  }),
)
