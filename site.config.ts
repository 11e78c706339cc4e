/**
 * The one file to edit. Every setting is explained in docs/configuration.md; everything that is not
 * here has a default. Keys never stand here: put them into .env or the CI's secrets.
 */
import { defineConfig } from './src/config/define.ts';

export default defineConfig({
  service: {
    // The address of the media service, as the vendor gave it.
    baseUrl: 'https://media.example',
    // The real names of the fields that differ from service to service.
    fieldNames: { hostedVideo: 'hostedVideo' },
  },
  site: {
    title: 'Northgate Cars',
    // Where the site will be reached.
    url: 'https://cars.example',
    locale: 'en-GB',
    timeZone: 'Europe/London',
  },
  dealers: [
    {
      id: 7001,
      name: 'Northgate Cars',
      // First part of all page addresses of this dealer: never change it.
      slug: 'northgate',
      // The environment variable that holds the API key.
      apiKeyEnv: 'MEDIA_API_KEY',
      // How visitors reach the dealer, such as:
      // contact: { phone: '+44 1632 960001', email: 'sales@cars.example' },
    },
  ],
  media: {
    // Hosts that pictures may come from, besides the service's own.
    hosts: ['pictures.example'],
  },
});
