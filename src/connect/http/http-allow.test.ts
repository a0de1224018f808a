import { expect, test } from 'vitest'
import { readAllow } from './http-allow.ts'

function isAllowed(list: readonly string[], url: string): boolean {
  try {
    readAllow(list).check(new URL(url))
    return true
  } catch {
    return false
  }
}

test('a host allows both schemes on their usual ports, and nothing that only looks like it', () => {
  const list = ['api.example.com']
  expect(isAllowed(list, 'https://api.example.com/x?y')).toBe(true)
  expect(isAllowed(list, 'http://API.example.com/')).toBe(true)
  for (const url of [
    'https://example.com',
    'https://evil-api.example.com',
    'https://api.example.com.evil.net',
    'https://api.example.com:8443',
    'https://a@api.example.com',
    'https://evil.net/api.example.com',
    'ftp://api.example.com',
    'data:text/plain,api.example.com',
  ]) {
    expect(isAllowed(list, url), url).toBe(false)
  }
})

test('an origin allows its scheme and port only', () => {
  const list = ['https://api.example.com:8443']
  expect(isAllowed(list, 'https://api.example.com:8443/')).toBe(true)
  expect(isAllowed(list, 'http://api.example.com:8443/')).toBe(false)
  expect(isAllowed(list, 'https://api.example.com/')).toBe(false)
})

test('a port given with a host is the only one', () => {
  expect(isAllowed(['localhost:443'], 'https://localhost/')).toBe(true)
  expect(isAllowed(['localhost:443'], 'http://localhost/')).toBe(false)
  expect(isAllowed(['[::1]:8080'], 'http://[::1]:8080/')).toBe(true)
})

test('a star matches subdomains, not the domain itself', () => {
  const list = ['*.example.com']
  expect(isAllowed(list, 'https://a.b.example.com/')).toBe(true)
  expect(isAllowed(list, 'https://example.com/')).toBe(false)
  expect(isAllowed(list, 'https://notexample.com/')).toBe(false)
})

test('numbers that spell an address in another way are compared as the address they are', () => {
  expect(isAllowed(['127.0.0.1'], 'http://2130706433/')).toBe(true)
  expect(isAllowed(['10.0.0.1'], 'http://0x7f.1/')).toBe(false)
})

test('entries that are neither host nor origin are refused by name', () => {
  for (const entry of [
    '',
    'https://',
    'https://a.example/path',
    'a.example/',
    'a b',
    'ftp://a.example',
    'a.*.example',
    'u@a.example',
  ]) {
    expect(() => readAllow([entry]), entry).toThrow(`"${entry}" in \`allow\``)
  }
})

test('a lone star is every public host and nothing else; a path holds what begins with it', () => {
  expect(isAllowed(['*'], 'https://example.com/x')).toBe(true)
  for (const url of [
    'http://127.0.0.1/',
    'http://[::1]/',
    'http://10.0.0.1/',
    'http://169.254.169.254/',
    'http://[::ffff:7f00:1]/',
  ])
    expect(isAllowed(['*'], url), url).toBe(false)
  expect(isAllowed(['127.0.0.1:80'], 'http://127.0.0.1/')).toBe(true)
  expect(isAllowed(['https://a.example/v1/*'], 'https://a.example/v1/x')).toBe(true)
  for (const url of [
    'https://a.example/v2',
    'https://a.example/v1/../v2',
    'https://a.example/v1/%2e%2e/v2',
    'https://a.example/v1/%252e%252e/v2',
  ])
    expect(isAllowed(['https://a.example/v1/*'], url), url).toBe(false)
})
