import { beforeEach } from 'vitest'
import { chosen } from './chosen.ts'

interface Named {
  readonly name: string
  readonly suite?: Named | undefined
}

const pattern = chosen()?.pattern
const wanted = pattern === undefined ? undefined : new RegExp(pattern)

// `-t` holds for all projects of a run; here each project is a row with tests of its own.
if (wanted !== undefined)
  beforeEach(({ task, skip }) => {
    if (!wanted.test(fullName(task))) skip()
  })

function fullName({ name, suite }: Named): string {
  return suite === undefined ? name : `${fullName(suite)} ${name}`.trim()
}
