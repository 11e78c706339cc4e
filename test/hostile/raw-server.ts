import { createServer, type Socket } from 'node:net';

export interface RawServer {
  port: number;
  /** Heads of all requests, as they came. */
  requests: string[];
  connections: () => number;
  close: () => Promise<void>;
}

/** A server of bare sockets on loopback. It can send invalid HTTP. */
export function startRawServer(act: (socket: Socket, path: string) => unknown): Promise<RawServer> {
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
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve({
        port: typeof address === 'object' && address ? address.port : 0,
        requests,
        connections: () => connections,
        close: () =>
          new Promise((done) => {
            server.close(() => done());
            for (const socket of sockets) socket.destroy();
          }),
      });
    });
  });
}
