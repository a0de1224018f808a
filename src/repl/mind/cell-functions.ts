import type { Registry, RunContext } from '../../run/index.ts'
import type { Tool } from '../../tool/index.ts'
import type { CapabilityTree } from '../../vm/index.ts'
import { contextMembers } from '../calls/context-call.ts'
import type { ContextFacts } from '../context/context.ts'
import { GRAPH_TOOLS } from '../graphs/graph-tools.ts'
import { openContexts } from '../context/open-contexts.ts'
import { CALL_NAMES } from '../session/reserved-names.ts'
import type { CellInput } from '../session/session-state.ts'
import type { StoredIndex } from './stored-variables.ts'

/** Sources of the tools of cells. */
interface ToolSources {
  readonly registry: Registry
  readonly own: ReadonlyMap<string, Tool>
}

/** Returns the tools that a cell can call: those it was granted, or else all tools of its mind and the host. */
export function toolsOf({ own, registry }: ToolSources, context?: RunContext, input?: CellInput): ReadonlySet<string> {
  if (input?.tools !== undefined) return new Set(input.tools)
  const names = new Set([...own.keys(), ...registry.tools.keys(), ...(context?.resources.tools?.keys() ?? [])])
  // Excludes tools that cells reach only through functions and methods of other names.
  for (const name of [...openContexts(registry).tools.keys(), ...GRAPH_TOOLS]) if (!own.has(name)) names.delete(name)
  return names
}

const functionTrees = new Map<string, CapabilityTree>()
const TREES_MAX = 64

/** Returns the asynchronous functions of the host as a tree, cached by the set of tool and program names. */
export function functionsOf(names: ReadonlySet<string>): CapabilityTree {
  const sorted = [...names].sort()
  const key = JSON.stringify(sorted)
  let tree = functionTrees.get(key)
  if (tree === undefined) {
    if (functionTrees.size >= TREES_MAX) functionTrees.clear()
    functionTrees.set(key, (tree = makeFunctions(sorted)))
  }
  return tree
}

function makeFunctions(names: readonly string[]): CapabilityTree {
  const tools = Object.fromEntries(names.map((name) => [name, { kind: 'tool', name }]))
  const waits = Object.fromEntries(['sleep', 'waitUntil'].map((name) => [name, { kind: 'timer', name }]))
  const calls = CALL_NAMES.map((name) => [
    name,
    { kind: 'call', name, ...(name === 'graph_diff' ? { takesAll: true as const } : {}) },
  ])
  return { ...waits, ...(Object.fromEntries(calls) as CapabilityTree), tools }
}

/** Returns the functions that variables of a stored session may hold: as `functionsOf`, plus the methods of `context`. */
export function storedFunctions(host: ToolSources, { slots }: StoredIndex, context?: RunContext): CapabilityTree {
  const slot = slots.get('context')
  const functions = functionsOf(new Set([...toolsOf(host, context), ...host.registry.mindNames('program')]))
  if (slot?.isHandle !== true) return functions
  return { ...functions, context: contextMembers(slot.value as unknown as ContextFacts) }
}
