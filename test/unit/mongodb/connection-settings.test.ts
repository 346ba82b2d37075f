/** MongoDB's address and the default settings: which one wins, and what is refused. */
import { MongoClient } from 'mongodb';
import { describe, expect, test } from 'vitest';

import { clientOptions } from '#providers/mongodb/connection-settings.ts';

const HOST = 'mongodb://ann:se%3Fcret@db.example:27017/';

/** As the driver understands the address with our options; nothing is connected. */
function optionsOf(query: string, poolMax?: number) {
  const uri = `${HOST}${query}`;
  return new MongoClient(uri, clientOptions(uri, poolMax)).options;
}

describe('the settings of a connection', () => {
  test('use safe defaults for an address without options', () => {
    expect(optionsOf('')).toMatchObject({
      writeConcern: { w: 'majority', journal: true, wtimeoutMS: 10_000 },
      readConcern: { level: 'majority' },
      readPreference: { mode: 'primary' },
      retryWrites: true,
      socketTimeoutMS: 20_000,
      maxPoolSize: 32,
      appName: 'varve',
    });
    expect(optionsOf('', 7).maxPoolSize).toBe(7);
  });

  test.each([
    ['retryWrites=false', { retryWrites: false }],
    ['retryReads=false', { retryReads: false }],
    ['RETRYWRITES=false', { retryWrites: false }],
    ['socketTimeoutMS=5000', { socketTimeoutMS: 5_000 }],
    ['connectTimeoutMS=900', { connectTimeoutMS: 900 }],
    ['serverSelectionTimeoutMS=800', { serverSelectionTimeoutMS: 800 }],
    ['waitQueueTimeoutMS=700', { waitQueueTimeoutMS: 700 }],
    ['maxPoolSize=3', { maxPoolSize: 3 }],
    ['appName=other', { appName: 'other' }],
    ['wtimeoutMS=600', { writeConcern: { w: 'majority', journal: true, wtimeoutMS: 600 } }],
    ['w=3', { writeConcern: { w: 3, journal: true, wtimeoutMS: 10_000 } }],
    ['w=everywhere&journal=true', { writeConcern: { w: 'everywhere', journal: true } }],
    ['readConcernLevel=linearizable', { readConcern: { level: 'linearizable' } }],
    ['readPreference=primary&authSource=admin', { readPreference: { mode: 'primary' } }],
  ])('give the address precedence with %s', (query, expected) => {
    expect(optionsOf(`?${query}`, 9)).toMatchObject(expected);
  });

  test.each([
    ['w=0', 'w=0: a write would be called done that the server may have refused'],
    ['w=1', 'w=1: a write would be called done that is lost with the primary'],
    ['tls=true&W=1', 'w=1'],
    ['journal=false', 'journal=false: a write would be called done that is lost when'],
    ['j=false', 'j=false'],
    ['w=1&journal=false', 'w=1'],
    ['readPreference=secondary', 'readpreference=secondary: a decision would rest on'],
    ['readPreference=primaryPreferred', 'readpreference=primaryPreferred'],
    ['readPreference=nearest', 'or leave it out'],
    ['readConcernLevel=local', 'readconcernlevel=local: a decision would rest on what is undone'],
    ['readConcernLevel=available', 'readConcernLevel=majority, or leave it out'],
  ])('are refused for an address with %s, and the error says why', (query, message) => {
    const open = () => optionsOf(`?${query}`);
    expect(open).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }) as Error);
    expect(open).toThrow(message);
    expect(open).not.toThrow('cret');
  });
});
