import type { UserConfig } from 'tsdown'

/** Workers and child processes are started by `new URL('./x.ts', import.meta.url)`; after the build that file is `./x.js`. */
const startedFiles = {
  name: 'started-files',
  transform(code: string): { code: string; map: null } | undefined {
    const built = code.replace(/(new URL\(\s*['"]\.{1,2}\/[^'"]+)\.ts(['"],\s*import\.meta\.url)/g, '$1.js$2')
    return built === code ? undefined : { code: built, map: null }
  },
}

/** One built file per source file: stack traces and tree shaking stay simple, and files that are started by path (workers,
 *  the command) exist without being imported by anyone. */
const config: UserConfig = {
  entry: ['src/**/*.ts', '!src/**/*.test.ts', '!src/**/*.fixture.ts', '!src/**/fixtures/**'],
  format: 'esm',
  platform: 'node',
  target: 'node22.18',
  unbundle: true,
  // `.js` rather than `.mjs`: the package is of type module, and the exports in package.json say so.
  fixedExtension: false,
  dts: true,
  sourcemap: true,
  clean: true,
  exports: false,
  plugins: [startedFiles],
  publint: { strict: true },
  attw: { profile: 'esm-only', level: 'error' },
}

export default config
