import { Alert, Button, Group, Text } from '@mantine/core'
import { IconEyeOff } from '@tabler/icons-react'
import type { Vehicle } from '../api/types.ts'
import { useTexts } from '../language/language.ts'
import { useChangeSettings } from './use-change-settings.ts'

interface HiddenBannerProps {
  readonly vehicle: Vehicle
  readonly mayChange: boolean
}

/** Says that a car is hidden, and brings it back. */
export function HiddenBanner({ vehicle, mayChange }: HiddenBannerProps) {
  const texts = useTexts('car')
  const change = useChangeSettings(vehicle.id)
  return (
    <Alert color="yellow" icon={<IconEyeOff size={20} />} role="status">
      <Group justify="space-between">
        <Text fz="sm">{change.error ? change.error.message : texts.hidden}</Text>
        {mayChange && (
          <Button
            size="xs"
            variant="default"
            loading={change.isPending}
            onClick={() => change.mutate({ deleteTimestamp: null })}
          >
            {texts.restore}
          </Button>
        )}
      </Group>
    </Alert>
  )
}
