import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.util.List;

/** Serves the MongoDB protocol from memory on a free port of this machine, until stdin ends. */
final class TestMongodb {
  /** MongoDB 7.0. The server's own answer, 8 at most, is refused by driver 7. */
  private static final MongoVersion CLAIMED =
      new MongoVersion() {
        @Override
        public List<Integer> getVersionArray() {
          return List.of(7, 0, 0);
        }

        @Override
        public int getWireVersion() {
          return 21;
        }
      };

  public static void main(String[] args) throws Exception {
    MongoServer server = new MongoServer(new MemoryBackend().version(CLAIMED));
    System.out.println("port " + server.bind().getPort());
    // The tests that started it hold the other end: however they die, the server ends with them.
    while (System.in.read() >= 0) {
      continue;
    }
    server.shutdownNow();
    System.exit(0);
  }
}
