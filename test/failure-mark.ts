import { appendFileSync, mkdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Reporter } from 'vitest/node'

/** A reporter that writes the name of each failed test to a file the moment it fails. A run that is cut off by time never
 *  prints its summary; this file then tells whether anything had failed. */
export function markFailures(path: string): Reporter {
  const mark = (name: string): void => {
    mkdirSync(dirname(path), { recursive: true })
    appendFileSync(path, `${name}\n`)
  }
  return {
    onInit: () => rmSync(path, { force: true }),
    onTestCaseResult: (test) => {
      if (test.result().state === 'failed') mark(`${test.module.relativeModuleId}: ${test.fullName}`)
    },
    onTestModuleEnd: (module) => {
      if (module.state() === 'failed') mark(`${module.relativeModuleId}: failed`)
    },
  }
}
