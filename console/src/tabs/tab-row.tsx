import { Tabs, type TabsListProps } from '@mantine/core'
import { useEffect, useRef } from 'react'
import classes from './tab-row.module.css'

interface TabRowProps extends TabsListProps {
  /** The chosen tab, which is brought into view. */
  readonly chosen: string
}

/** The tabs of a page in one row, which scrolls sideways where the screen is too narrow for all of them. */
export function TabRow({ chosen, ...props }: TabRowProps) {
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const tab = row.current?.querySelector(`[role=tab][id$="-tab-${chosen}"]`)
    tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [chosen])
  return <Tabs.List ref={row} className={classes.row} {...props} />
}
