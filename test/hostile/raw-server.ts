import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A server of bare sockets on loopback. It can send invalid HTTP. */
export async function startRawServer(act: (socket: Socket, path: string) => unknown) {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    socket.on('data', (data) => {
      const head = data.toString('latin1');
      requests.push(head);
      act(socket, head.split(' ')[1] ?? '');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    /** Heads of all requests, as they came. */
    requests,
    connections: () => connections,
    reset: () => {
      connections = 0;
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((done) => {
        server.close(() => done());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
