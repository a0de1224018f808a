import type { PromptRow } from '../../../memory/index.ts'
import { notSealed, placeOf } from '../../encryption/index.ts'
import type { Row } from '../sqlite-file.ts'
import type { DataFile } from './data-file.ts'

/** Prompt templates in SQL: versions are only added, labels can move. */
export class PromptRows {
  readonly #data: DataFile

  constructor(data: DataFile) {
    this.#data = data
  }

  add(id: string, version: number, text: string): boolean {
    const { file, cipher } = this.#data
    const sealed = cipher?.seal(placeOf('prompts', id, version), text) ?? null
    const sql = 'INSERT INTO prompts (id, version, text, sealed) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING'
    return file.run(sql, JSON.stringify(id), version, sealed === null ? text : null, sealed) > 0
  }

  get(id: string, version: number | undefined): PromptRow | undefined {
    const row =
      version === undefined
        ? this.#data.file.get('SELECT * FROM prompts WHERE id = ? ORDER BY version DESC LIMIT 1', JSON.stringify(id))
        : this.#data.file.get('SELECT * FROM prompts WHERE id = ? AND version = ?', JSON.stringify(id), version)
    return row && this.#open(row)
  }

  versions(id: string): readonly PromptRow[] {
    const rows = this.#data.file.all('SELECT * FROM prompts WHERE id = ? ORDER BY version', JSON.stringify(id))
    return rows.map((row) => this.#open(row))
  }

  newest(): readonly PromptRow[] {
    const sql = `SELECT p.* FROM prompts p JOIN (
        SELECT id, min(number) AS first, max(version) AS newest FROM prompts GROUP BY id
      ) t ON t.id = p.id AND t.newest = p.version ORDER BY t.first`
    return this.#data.file.all(sql).map((row) => this.#open(row))
  }

  setLabel(id: string, label: string, version: number): void {
    const sql = `INSERT INTO prompt_labels (id, label, version) VALUES (?, ?, ?)
      ON CONFLICT (id, label) DO UPDATE SET version = excluded.version`
    this.#data.file.run(sql, JSON.stringify(id), JSON.stringify(label), version)
  }

  labels(id: string): ReadonlyMap<string, number> {
    const rows = this.#data.file.all('SELECT label, version FROM prompt_labels WHERE id = ?', JSON.stringify(id))
    return new Map(rows.map((row) => [JSON.parse(row['label'] as string) as string, row['version'] as number]))
  }

  #open(row: Row): PromptRow {
    const { cipher } = this.#data
    const id = JSON.parse(row['id'] as string) as string
    const version = row['version'] as number
    if (cipher === undefined) return { id, version, text: row['text'] as string }
    if (!(row['sealed'] instanceof Uint8Array)) throw notSealed(`Version ${version} of the prompt "${id}"`)
    return { id, version, text: cipher.openText(placeOf('prompts', id, version), row['sealed']) }
  }
}
