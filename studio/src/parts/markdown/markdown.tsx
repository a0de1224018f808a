import { Fragment, memo } from 'react'
import type { ReactNode } from 'react'
import { visible } from '../format.ts'
import { inlineTree, markdownTree } from './markdown-tree.ts'
import type { Block, Inline } from './markdown-tree.ts'
import styles from './markdown.module.css'

/** Renders Markdown as elements, with headings, lists, tables and code. HTML is shown as text, and images are not loaded. */
export const Markdown: (props: { readonly text: string }) => ReactNode = memo(({ text }: { readonly text: string }) => (
  <div className={styles['markdown']} dir="auto">
    <Blocks of={markdownTree(text)} />
  </div>
))

function Blocks({ of }: { readonly of: readonly Block[] }): ReactNode {
  return of.map((block, index) => <BlockView key={index} of={block} />)
}

function BlockView({ of }: { readonly of: Block }): ReactNode {
  switch (of.type) {
    case 'heading':
      return (
        // All headings have the level below the page heading, because texts may skip levels and a page may not.
        <p role="heading" aria-level={2} className={styles['heading']} data-level={of.level}>
          <Inlines of={of.of} />
        </p>
      )
    case 'paragraph':
      return (
        <p>
          <Inlines of={of.of} />
        </p>
      )
    case 'code':
      return (
        <pre dir="ltr" data-language={of.language}>
          <code>{visible(of.text)}</code>
        </pre>
      )
    case 'quote':
      return (
        <blockquote>
          <Blocks of={of.of} />
        </blockquote>
      )
    case 'list':
      return <ListView of={of} />
    case 'table':
      return <TableView of={of} />
    case 'rule':
      return <hr />
  }
}

function ListView({ of: { isOrdered, start, items } }: { readonly of: Extract<Block, { type: 'list' }> }): ReactNode {
  const lines = items.map((item, index) => (
    <li key={index}>
      <Blocks of={item} />
    </li>
  ))
  return isOrdered ? <ol start={start}>{lines}</ol> : <ul>{lines}</ul>
}

function TableView({ of: { head, rows } }: { readonly of: Extract<Block, { type: 'table' }> }): ReactNode {
  return (
    <div className={styles['table']}>
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (
              <th key={index} scope="col">
                <Inlines of={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, place) => (
                <td key={place}>
                  <Inlines of={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Inlines({ of }: { readonly of: readonly Inline[] }): ReactNode {
  return of.map((piece, index) => (
    <Fragment key={index}>
      <InlineView of={piece} />
    </Fragment>
  ))
}

function InlineView({ of }: { readonly of: Inline }): ReactNode {
  switch (of.type) {
    case 'text':
      return visible(of.text)
    case 'code':
      return <code>{visible(of.text)}</code>
    case 'strong':
      return (
        <strong>
          <Inlines of={of.of} />
        </strong>
      )
    case 'emphasis':
      return (
        <em>
          <Inlines of={of.of} />
        </em>
      )
    case 'deleted':
      return (
        <del>
          <Inlines of={of.of} />
        </del>
      )
    case 'link':
    case 'image':
      return <Address of={of} />
  }
}

/** A link with its complete address. It asks for confirmation before opening, because the address may leak data of the model. */
function Address({ of: { type, text, address } }: { readonly of: Extract<Inline, { address: string }> }): ReactNode {
  const isOpenable = type === 'link' && /^https?:\/\//i.test(address)
  return (
    <span className={styles['address']}>
      {type === 'image' ? 'image: ' : ''}
      <Inlines of={inlineTree(text)} /> <code>{visible(address)}</code>
      {isOpenable ? (
        <button
          type="button"
          className="quiet"
          onClick={() => {
            if (confirm(`A model wrote this address. Open it in a new tab?\n\n${visible(address)}`))
              open(address, '_blank', 'noopener,noreferrer')
          }}
        >
          open
        </button>
      ) : null}
    </span>
  )
}
