import { expect, test } from 'vitest'
import { ownCommand, pastable } from './own-command.ts'

test.each([
  ['/home/ana/app/node_modules/.bin/mandate', 'npm/11.0.0 node/v24', 'npx mandate'],
  ['/home/ana/app/node_modules/.bin/mandate', undefined, 'npx mandate'],
  ['/home/ana/app/node_modules/mandate/dist/cli/main.js', undefined, 'npx mandate'],
  ['/home/ana/.npm/_npx/1/node_modules/.bin/create-mandate', 'npm/11.0.0', 'npx mandate'],
  ['C:\\app\\node_modules\\mandate\\dist\\cli\\main.js', undefined, 'npx mandate'],
  ['/home/ana/app/node_modules/.bin/mandate', 'pnpm/10.0.0 npm/? node/v24', 'pnpm exec mandate'],
  ['/home/ana/app/node_modules/.bin/mandate', 'yarn/4.0.0 npm/? node/v24', 'yarn mandate'],
  ['/home/ana/app/node_modules/.bin/mandate', 'bun/1.4.0', 'bunx mandate'],
  ['/home/ana/mandate/src/cli/main.ts', 'npm/11.0.0', 'npm run -s mandate --'],
  ['/usr/local/bin/mandate', undefined, 'mandate'],
])('started as %s by %s, the command is %s', (path, agent, expected) => {
  expect(ownCommand(path, { npm_config_user_agent: agent })).toBe(expected)
})

test('commands in a hint run as they are pasted, and other words stay', () => {
  const own = 'npx mandate'
  expect(pastable('continue with: mandate resume run_1', own)).toBe('continue with: npx mandate resume run_1')
  expect(pastable('Answer with: mandate approve <a>, mandate deny <a> or mandate answer <a>', own)).toBe(
    'Answer with: npx mandate approve <a>, npx mandate deny <a> or npx mandate answer <a>',
  )
  expect(pastable('List the open ones: `mandate inbox`, or `service.approvals()`.', own)).toBe(
    'List the open ones: `npx mandate inbox`, or `service.approvals()`.',
  )
  expect(pastable('npx mandate runs', own)).toBe('npx mandate runs')
  expect(pastable('The mandate approves nothing, and the mandate policy: none', own)).toBe(
    'The mandate approves nothing, and the mandate policy: none',
  )
})
