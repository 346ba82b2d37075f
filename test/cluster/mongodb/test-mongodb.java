import de.bwaldvogel.mongo.MongoBackend;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
import java.util.List;
import org.h2.mvstore.MVStore;

/**
 * Serves the MongoDB protocol on a port of this machine, until stdin ends. Arguments: the port, 0 for
 * a free one, and the file that keeps the documents; without a file they are in memory.
 */
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

  /**
   * One command at a time, and its writes are in the file before its answer leaves, as with a journal.
   * A killed process leaves whole commands; what a machine without power leaves is not shown.
   */
  private static final class FileBackend extends H2Backend {
    FileBackend(String file) {
      super(new MVStore.Builder().fileName(file).autoCommitDisabled().open());
    }

    @Override
    public synchronized Document handleMessage(MongoMessage message) {
      Document answer = super.handleMessage(message);
      if (getMvStore().hasUnsavedChanges()) {
        commit();
      }
      return answer;
    }
  }

  public static void main(String[] args) throws Exception {
    int port = args.length > 0 ? Integer.parseInt(args[0]) : 0;
    MongoBackend backend = args.length > 1 ? new FileBackend(args[1]) : new MemoryBackend();
    MongoServer server = new MongoServer(backend.version(CLAIMED));
    server.bind("127.0.0.1", port);
    System.out.println("port " + server.getLocalAddress().getPort());
    // The tests that started it hold the other end: however they die, the server ends with them.
    while (System.in.read() >= 0) {
      continue;
    }
    server.shutdownNow();
    System.exit(0);
  }
}
