import type { SourceFile } from './sources.ts'

/** The rooms a stranger reads first; their files stay small enough to be read in one sitting. */
const heart = new Set(['run', 'gate', 'journal'])

/** The most lines a file may have. */
export function lineLimit(file: SourceFile): number {
  if (file.isTest || file.path.startsWith('test/')) return 600
  return file.room !== undefined && heart.has(file.room) ? 300 : 500
}

/** Files over their limit. */
export function checkSizes(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => file.lineCount > lineLimit(file))
    .map((file) => `${file.path}: ${file.lineCount} lines, at most ${lineLimit(file)}: split it by what its parts mean`)
}

const FOLDER_MAX = 20

/** Folders of the sources with more files than can be taken in at a glance; tests and fixtures apart. */
export function checkFolders(files: readonly SourceFile[]): string[] {
  const counts = new Map<string, number>()
  for (const { path, room, isTest } of files) {
    const folder = path.slice(0, path.lastIndexOf('/'))
    if (room !== undefined && !isTest && !path.includes('.fixture.')) counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts]
    .filter(([, count]) => count > FOLDER_MAX)
    .map(
      ([folder, count]) =>
        `${folder}: ${count} files, at most ${FOLDER_MAX}: put those that belong together into a folder`,
    )
}

/** The middle of the line counts of the sources, tests apart. */
export function medianLines(files: readonly SourceFile[]): number {
  const counts = files
    .filter((file) => file.room !== undefined && !file.isTest)
    .map((file) => file.lineCount)
    .toSorted((a, b) => a - b)
  return counts[Math.floor(counts.length / 2)] ?? 0
}

/** The five largest sources, one line each, so that growth is seen before it hurts. */
export function describeLargest(files: readonly SourceFile[]): string {
  const largest = files
    .filter((file) => file.room !== undefined && !file.isTest)
    .toSorted((a, b) => b.lineCount - a.lineCount)
    .slice(0, 5)
  return [
    `largest of ${files.length} files (median of the sources: ${medianLines(files)} lines)`,
    ...largest.map((file) => `${String(file.lineCount).padStart(5)} of ${lineLimit(file)}  ${file.path}`),
  ].join('\n')
}
