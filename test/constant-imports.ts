import { type Plugin, parseAst } from 'vite'

/** Its names are looked for where mocks are declared. */
const LEFT_ALONE = 'vitest'

/**
 * Vitest makes of each use of an imported name a call of a function that reads it, as it may have changed: 5 % of the processor time of tests. What
 * this project exports never changes (`import/no-mutable-exports`), and is there when it is imported (`import/no-cycle`): each module reads it once.
 */
export function constantImports(): Plugin {
  return {
    name: 'constant-imports',
    // When types are gone, and before vitest's own change.
    enforce: 'post',
    transform(code, id) {
      const isOwn = /^[^?]*\.tsx?(\?|$)/.test(id) && !id.includes('/node_modules/')
      return isOwn ? { code: withConstantImports(code), map: null } : undefined
    },
  }
}

/** @param code of a module of JavaScript @returns the same with a constant for each imported name; each statement stays in its line */
export function withConstantImports(code: string): string {
  let changed = ''
  let end = 0
  for (const statement of parseAst(code).body) {
    if (statement.type !== 'ImportDeclaration' || statement.source.value === LEFT_ALONE) continue
    const constants: string[] = []
    for (const specifier of statement.specifiers) {
      if (specifier.type === 'ImportNamespaceSpecifier') continue
      const { name } = specifier.local
      const exported =
        specifier.type === 'ImportSpecifier'
          ? `${code.slice(specifier.imported.start, specifier.imported.end)} as `
          : ''
      changed += `${code.slice(end, specifier.start)}${exported}imported_${name}`
      end = specifier.end
      constants.push(`${name} = imported_${name}`)
    }
    if (constants.length === 0) continue
    changed += `${code.slice(end, statement.end)}; const ${constants.join(', ')};`
    end = statement.end
  }
  return changed + code.slice(end)
}
