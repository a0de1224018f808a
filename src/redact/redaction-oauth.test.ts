import { expect, test } from 'vitest'
import { knownValues } from './known-values.ts'
import { secretRedactor } from './secret-redactor.ts'

test.each([
  ['a redirect with a code', 'GET /callback?code=SplxlOBeZQQYbYS6WxSbIA9k2&state=xyz', 'SplxlOBeZQQYbYS6WxSbIA9k2'],
  ['a code behind other parameters', '/cb?state=a&code=Hq7Zk2Lm9Px4Rt6Vw8Yb3Nc5', 'Hq7Zk2Lm9Px4Rt6Vw8Yb3Nc5'],
  [
    'a code of Google',
    'paste 4/0AX4XfWh1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT1u',
    '4/0AX4XfWh1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT1u',
  ],
  [
    'a verifier',
    'code_verifier=dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  ],
])('%s is a secret', (_, text, secret) => {
  expect(secretRedactor().text(text)).not.toContain(secret)
})

test('what is called a code and was not drawn stays', () => {
  for (const text of ['?code=404', '/errors?code=INVALID_INPUT', 'country code=DE'])
    expect(secretRedactor().text(text)).toBe(text)
})

test('a registered secret is found in other case, as headers and environment dumps write it', () => {
  const known = knownValues()
  known.add('KEY', 'Abc-9xYz-TopSecret')
  for (const text of ['KEY=ABC-9XYZ-TOPSECRET', 'key: abc-9xyz-topsecret'])
    expect(known.text(text)).not.toMatch(/topsecret/i)
})
