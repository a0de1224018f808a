import { expect, it } from 'vitest'
import type { Risk } from '../../tool/index.ts'
import { riskOfWords, splitName } from './risk-words.ts'

it.each<[string, Risk | undefined]>([
  ['deleteFile', 'destructive'],
  ['delete-file', 'destructive'],
  ['delete_file', 'destructive'],
  ['DELETE', 'destructive'],
  ['mcp.x.tool.delete_repo', 'destructive'],
  ['HTTPDelete', 'destructive'],
  ['files/rm', 'destructive'],
  ['getAndPurge', 'destructive'],
  ['runTests', 'exec'],
  ['spawn2', 'exec'],
  ['shell.v1', 'exec'],
  ['saveDraft', 'write'],
  ['kv_set', 'write'],
  ['list_files', 'read'],
  ['readFile', 'read'],
  // Whole words only: these merely contain one.
  ['format', undefined],
  ['dropdown', undefined],
  ['settings', undefined],
  ['prune', undefined],
  ['undeleted', undefined],
  ['', undefined],
  // Tables of names answer only what is in them.
  ['constructor', undefined],
  ['__proto__', undefined],
  ['toString', undefined],
])('the name %j suggests %s', (name, risk) => {
  expect(riskOfWords(name)).toBe(risk)
})

it.each<[string, string, Risk | undefined]>([
  ['sync', 'Deletes everything that is not in the source.', 'destructive'],
  ['sync', 'Copies files. Then wipes the source.', undefined],
  ['sync', 'Copies files. Wipes the source.', 'destructive'],
  ['sync', 'Lists files', 'read'],
  ['list', 'Purges old entries', 'destructive'],
  ['delete_it', 'Reads nothing, harmless', 'destructive'],
  ['mail', 'Sends a password reset; it does not delete anything', 'write'],
])('the tool %j that says %j is %s', (name, description, risk) => {
  // "Copies" is "copy", which writes.
  expect(riskOfWords(name, description)).toBe(risk ?? 'write')
})

it('two tools of one name and different words do not share an answer', () => {
  expect(riskOfWords('twin', 'Reads.')).toBe('read')
  expect(riskOfWords('twin', 'Deletes.')).toBe('destructive')
  expect(riskOfWords('twin', 'Reads.')).toBe('read')
})

it('names are split at case, dash, dot, underscore and digits', () => {
  expect(splitName('mcp.srv.getHTTPStatus_v2-list')).toEqual(['mcp', 'srv', 'get', 'http', 'status', 'v', 'list'])
})
