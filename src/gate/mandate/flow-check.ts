import { RISKS } from '../../tool/index.ts'
import { checkNamed, checkPattern, fieldsOf, isText, listOf, oneOf, onlyFields, refuse } from './field-checks.ts'
import type { Fields } from './field-checks.ts'
import { isPointer } from '../rules/pointers.ts'

const FIELDS = ['id', 'sink', 'riskMin', 'path', 'forbid', 'control', 'unless', 'then', 'reason']

/** Validates flow rules. */
export function checkFlow(value: unknown, field: string): void {
  checkNamed(value, field, checkRule)
}

function checkRule(rule: Fields, place: string): void {
  onlyFields(rule, FIELDS, place)
  const { id, riskMin, path, forbid, control, unless, then, reason } = rule
  if (!isText(id)) refuse(`${place}.id`, 'must be a text that names the rule in the record.')
  checkPlaces(rule, place)
  if (riskMin !== undefined) oneOf(riskMin, RISKS, `${place}.riskMin`)
  for (const [label, at] of listOf(forbid, `${place}.forbid`)) checkLabel(label, at)
  if (control !== undefined && typeof control !== 'boolean') refuse(`${place}.control`, 'must be true or false.')
  if (control !== undefined && path === undefined)
    refuse(`${place}.control`, 'goes with `path`; without one, what led to the call counts anyway.')
  if (unless !== undefined) checkException(fieldsOf(unless, `${place}.unless`), `${place}.unless`)
  if (then !== undefined) oneOf(then, ['deny', 'ask'], `${place}.then`)
  if (reason !== undefined && !isText(reason)) refuse(`${place}.reason`, 'must be a text.')
}

/** Validates where a rule applies: its `sink` and its `path`. */
export function checkPlaces({ sink, path }: Fields, place: string): void {
  for (const [name, at] of textsOf(sink, `${place}.sink`)) checkPattern(name, at)
  if (path !== undefined) for (const [pointer, at] of textsOf(path, `${place}.path`)) checkPointer(pointer, at)
}

/** Validates the exception of a rule. */
export function checkException(unless: Fields, place: string): void {
  onlyFields(unless, ['at', 'hosts', 'values'], place)
  const { at, hosts, values } = unless
  checkPointer(at, `${place}.at`)
  if (hosts === undefined && values === undefined) refuse(place, 'needs `hosts` or `values` that are known.')
  if (values !== undefined)
    for (const [value, where] of listOf(values, `${place}.values`)) if (!isText(value)) refuse(where, 'must be a text.')
  if (hosts !== undefined) for (const [host, where] of listOf(hosts, `${place}.hosts`)) checkHost(host, where)
}

function checkHost(host: unknown, place: string): void {
  const name = isText(host) ? host.replace(/^\*\./u, '') : ''
  if (name === '' || URL.parse(`https://${name}/`)?.hostname !== name)
    refuse(place, 'must be the name of a host in lower case, such as "api.example" or "*.example", without a port.')
}

function checkPointer(pointer: unknown, place: string): void {
  if (!isPointer(pointer)) refuse(place, 'must be a JSON pointer into the input, such as "/to" or "/cc/*".')
}

function checkLabel(label: unknown, place: string): void {
  if (!isText(label)) refuse(place, 'must be a label, such as "untrusted:*".')
  else if (label.slice(0, -1).includes('*')) refuse(place, '"*" may only stand at the end of a label.')
}

function textsOf(value: unknown, place: string): [unknown, string][] {
  return typeof value === 'string' ? [[value, place]] : listOf(value, place)
}
