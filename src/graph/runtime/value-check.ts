import { MandateError, isRecord, memberPointer, nearest } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import type { Blueprint, FieldBlueprint } from '../blueprint/blueprint.ts'
import { misfit } from './channels/channel.ts'
import type { CompiledGraph } from './compiled-graph.ts'

/** The problem of a value that is written to a channel, with its place; `undefined` for a valid one. */
export type ValueCheck = (value: Json) => { readonly path: string; readonly message: string } | undefined

type Type = FieldBlueprint['type']

/** The check of a field, for the values written to a channel of this kind; `undefined` if any value is valid. */
export function fieldCheck({ type, items, optional }: FieldBlueprint, channel: string): ValueCheck | undefined {
  if (['messages', 'delta', 'barrier', 'named_barrier', 'aggregate'].includes(channel)) return undefined
  const item = items ?? 'any'
  if (channel === 'topic') return type === 'list' ? (value) => listProblem([value].flat(), item) : undefined
  if (type === 'any') return undefined
  return (value) => {
    if (value === null && optional === true) return undefined
    if (!isOf(value, type)) return { path: '', message: `expected ${NAMES[type]}, given ${shown(value)}` }
    return type === 'list' ? listProblem(value as readonly Json[], item) : undefined
  }
}

function listProblem(list: readonly Json[], type: Type): ReturnType<ValueCheck> {
  const at = list.findIndex((item) => !isOf(item, type))
  return at < 0 ? undefined : { path: `/${at}`, message: `expected ${NAMES[type]}, given ${shown(list[at]!)}` }
}

const NAMES: { readonly [T in Type]: string } = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  list: 'a list',
  any: 'any value',
}

function isOf(value: Json, type: Type): boolean {
  switch (type) {
    case 'any':
      return true
    case 'list':
      return Array.isArray(value)
    case 'object':
      return isRecord(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}

function shown(value: Json): string {
  const text = JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}

/** Throws on an invalid update of a graph's channels. `who` is its author: `Node "ask"`. */
export function checkUpdate(graph: CompiledGraph, update: JsonObject, who: string): void {
  for (const [name, value] of Object.entries(update)) {
    const channel = graph.channels.get(name)
    if (channel === undefined) throw unknownChannel(graph, name, who)
    const unfit = channel.problem?.(value)
    if (unfit !== undefined) throw misfit(name, who, unfit)
    const problem = graph.checks.get(name)?.(value)
    if (problem === undefined) continue
    const path = `${memberPointer('', name)}${problem.path}`
    throw new MandateError(
      'SCHEMA_INVALID',
      `${who} wrote a value that does not fit the state, at ${path}: ${problem.message}. Write what the state declares, or change its declaration.`,
      { info: { path, graph: graph.blueprint.name } },
    )
  }
}

function unknownChannel({ channels }: CompiledGraph, name: string, who: string): MandateError {
  const known = [...channels.keys()]
  const near = nearest(name, known)
  const hint = near === undefined ? `Channels: ${known.join(', ') || 'none'}.` : `Did you mean "${near}"?`
  return new MandateError('INPUT_INVALID', `${who} wrote to "${name}", which is no channel of the graph. ${hint}`, {
    info: { path: memberPointer('', name) },
  })
}

/** Returns the input if it is valid for a run of the graph, or throws. */
export function checkInput(graph: CompiledGraph, input: Json): JsonObject {
  const { name, input: fields } = graph.blueprint
  const what = `The input of graph "${name}"`
  if (input === null) return checkInput(graph, {})
  if (typeof input !== 'object' || Array.isArray(input))
    throw new MandateError('INPUT_INVALID', `${what} is ${shown(input)}. Give an object with values for its channels.`)
  const given = input as JsonObject
  if (fields !== undefined) checkNames(given, fields, what)
  for (const field of Object.keys(given))
    if (graph.channels.get(field)?.isUntracked === true)
      throw new MandateError(
        'INPUT_INVALID',
        `${what} has "${field}", which is untracked: it cannot be journaled. Leave it out.`,
      )
  checkUpdate(graph, given, what)
  return given
}

function checkNames(given: JsonObject, fields: NonNullable<Blueprint['input']>, what: string): void {
  const known = fields.map(({ name }) => name)
  for (const name of Object.keys(given))
    if (!known.includes(name)) {
      const near = nearest(name, known)
      const hint = near === undefined ? `It takes: ${known.join(', ') || 'nothing'}.` : `Did you mean "${near}"?`
      throw new MandateError('INPUT_INVALID', `${what} has "${name}", which it does not take. ${hint}`, {
        info: { path: memberPointer('', name) },
      })
    }
  for (const { name, optional, type } of fields)
    if (optional !== true && given[name] === undefined)
      throw new MandateError('INPUT_INVALID', `${what} lacks "${name}". Give ${NAMES[type]}.`, {
        info: { path: memberPointer('', name) },
      })
}
