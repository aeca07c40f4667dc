import { defineTexts } from '../language/language.ts'

export const baseMapTexts = defineTexts('baseMap', {
  styleFailed: 'The base map cannot be loaded; the map that Tacho brings along is shown instead.',
  onlyOutlines: 'This map has places, but no streets.',
  howToGetStreets: 'To add them, run on the server:',
  hide: 'Hide this note',
  cannotDraw: 'This browser cannot draw the map',
  cannotDrawHint: 'Maps need WebGL. Everything else works without it.',
  notLoaded: 'The map could not be loaded',
  notLoadedHint: 'The service did not answer.',
  reload: 'Reload the page',
  controls: {
    'AttributionControl.ToggleAttribution': 'Where the map comes from',
    'Map.Title': 'Map',
    'NavigationControl.ZoomIn': 'Zoom in',
    'NavigationControl.ZoomOut': 'Zoom out',
    'ScaleControl.Meters': 'm',
    'ScaleControl.Kilometers': 'km',
  },
})
