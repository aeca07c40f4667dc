import { Table, Text } from '@mantine/core'
import type { TripExplanation } from '../../api/types.ts'
import { formatDuration, formatQuantity } from '../../language/format.ts'
import { type Language, useLanguage, useTexts } from '../../language/language.ts'

type Rule = TripExplanation['rules'][number]

/** The rules of trips with their values, collapsed, because most people do not need them. */
export function RulesTable({ rules }: { readonly rules: readonly Rule[] }) {
  const texts = useTexts('explanation')
  const language = useLanguage()
  return (
    <details>
      <Text component="summary" fz="sm" style={{ cursor: 'pointer' }}>
        {texts.rules}
      </Text>
      <Table mt="xs" aria-label={texts.rules}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.rule}</Table.Th>
            <Table.Th ta="right">{texts.value}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rules.map(rule => (
            <Table.Tr key={rule.name}>
              <Table.Td>{rule.description}</Table.Td>
              <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
                {valueText(rule, language)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </details>
  )
}

function valueText({ value, unit }: Rule, language: Language): string {
  return unit === 'ms' ? formatDuration(value / 1000) : formatQuantity(value, unit, language, 3)
}
