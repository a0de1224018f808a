import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Json } from '../../core/index.ts'
import type { Risk } from '../../tool/index.ts'
import { riskOfInput } from './risk-inputs.ts'

it.each<[Json, Risk | undefined]>([
  [{ command: 'rm -rf /' }, 'destructive'],
  [{ CMD: 'rm x' }, 'destructive'],
  [{ command: ['rm', '-rf', '/'] }, 'destructive'],
  [{ commands: ['ls', 'rm x'] }, 'destructive'],
  [{ steps: [{ options: { script: 'rm x' } }] }, 'destructive'],
  [{ command: 'echo format' }, undefined],
  [{ text: 'rm -rf /' }, undefined],
  [{ sql: 'DROP TABLE users' }, 'destructive'],
  [{ sql: 'select 1; delete from users' }, 'destructive'],
  [{ sql: 'with x as (delete from users returning *) select * from x' }, 'destructive'],
  [{ query: '/* a */ TRUNCATE TABLE users' }, 'destructive'],
  [{ sql: 'insert into users values (1)' }, 'write'],
  [{ sql: 'select * from deleted' }, undefined],
  [{ query: 'delete button not working' }, undefined],
  [{ url: 'https://example.com', method: 'DELETE' }, 'destructive'],
  [{ url: 'https://example.com', method: 'post' }, 'write'],
  [{ url: 'https://example.com' }, undefined],
  [{ method: 'DELETE' }, undefined],
  [{ url: 'http://169.254.169.254/latest/meta-data' }, 'exec'],
  [{ url: 'http://user@localhost:8080/' }, 'exec'],
  [{ url: 'http://[::1]/' }, 'exec'],
  [{ url: 'http://2130706433/' }, 'exec'],
  [{ url: 'http://0x7f000001/' }, 'exec'],
  [{ url: 'http://10.example.com/' }, undefined],
  [{ url: 'https://example.com/?to=http://localhost' }, undefined],
  [{ url: 'file:///etc/passwd' }, 'exec'],
  [{ path: 'notes/a.txt' }, undefined],
  [{ path: '/etc/passwd' }, 'exec'],
  [{ path: '../../secret' }, 'exec'],
  [{ path: 'a..b' }, undefined],
  [{ path: '~/.ssh/id_rsa' }, 'exec'],
  [{ path: '.git/hooks/pre-commit' }, 'exec'],
  [{ path: '/dev/sda' }, 'destructive'],
  [{ path: '/home/ana/project/a.ts' }, undefined],
  ['rm -rf /', undefined],
  [null, undefined],
  [{}, undefined],
])('%j suggests %s', (input, risk) => {
  expect(riskOfInput(input)).toBe(risk)
})

it('answers for every input, however odd', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('cmd', 'sql', 'url', 'path', 'method', 'x'), fc.jsonValue()), (input) => {
      expect([undefined, 'read', 'write', 'exec', 'destructive']).toContain(riskOfInput(input as Json))
    }),
  )
})
