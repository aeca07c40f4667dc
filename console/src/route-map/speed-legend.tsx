import { Box, Group, Text } from '@mantine/core'
import { shownUnit, useTexts } from '../language/language.ts'
import { Hint } from '../page/page.tsx'
import { SPEED_CLASSES } from './track.ts'

export function SpeedLegend() {
  const texts = useTexts('routeMap')
  const { unit, convert } = shownUnit('km/h')
  const speed = (kmh: number) => Math.round(convert(kmh))
  return (
    <Group gap="4px 12px">
      <Hint fz="xs">{texts.legend(unit)}</Hint>
      {SPEED_CLASSES.map(({ toKmh, color }, index) => (
        <Group key={color} gap={4} wrap="nowrap">
          <Box w={16} h={4} bg={color} style={{ borderRadius: 2 }} aria-hidden />
          <Text fz="xs">
            {Number.isFinite(toKmh)
              ? texts.upTo(speed(toKmh))
              : texts.over(speed(SPEED_CLASSES[index - 1]?.toKmh ?? 0))}
          </Text>
        </Group>
      ))}
    </Group>
  )
}
