import { List, Stack, Table, Text, Title } from '@mantine/core'
import type { TripExplanation } from '../../api/types.ts'
import { formatNumber, formatQuantity } from '../../language/format.ts'
import { useLanguage, useTexts } from '../../language/language.ts'

/** How far by which instrument, which one counts, and what was left out. */
export function DistanceAccount({ explanation }: { readonly explanation: TripExplanation }) {
  const texts = useTexts('explanation')
  const language = useLanguage()
  const { distance, positions, samples } = explanation
  const rows = [
    [texts.counted, distance.counted],
    [texts.odometer, distance.odometer],
    [texts.positions, distance.positions],
    [texts.difference, distance.difference],
  ] as const
  const { least, most } = distance
  const shownKm = (km: number) => formatQuantity(km, 'km', language, 3)
  return (
    <Stack gap="sm">
      <Title order={2} fz="h4">
        {texts.distance}
      </Title>
      {distance.description && <Text fz="sm">{distance.description}</Text>}
      <Table variant="vertical" aria-label={texts.distance} withTableBorder>
        <Table.Tbody>
          {rows.map(([name, km]) => (
            <Table.Tr key={name}>
              <Table.Th>{name}</Table.Th>
              <Table.Td ta="right">{km === null ? texts.notMeasured : shownKm(km)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {least !== null && most !== null && <Text fz="sm">{texts.range(shownKm(least), shownKm(most))}</Text>}
      <Text fz="sm">{texts.fixes(formatNumber(positions.counted, language), formatNumber(samples, language))}</Text>
      {distance.contradictions.map(({ kind, description }) => (
        <Text key={kind} fz="sm">
          {description}
        </Text>
      ))}
      {distance.odometerJumps > 0 && <Text fz="sm">{texts.odometerJumps(distance.odometerJumps)}</Text>}
      {positions.relocations > 0 && <Text fz="sm">{texts.relocations(positions.relocations)}</Text>}
      {positions.dropped.length > 0 && (
        <Stack gap={4}>
          <Text fz="sm">{texts.dropped}</Text>
          <List size="sm">
            {positions.dropped.map(({ reason, description, count }) => (
              <List.Item key={reason}>{`${formatNumber(count, language)} × ${description}`}</List.Item>
            ))}
          </List>
        </Stack>
      )}
    </Stack>
  )
}
