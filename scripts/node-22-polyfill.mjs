/** The parts of explicit resource management that Node 22 lacks; the build adds them on use. */

/** @type {SuppressedErrorConstructor} */
export const SuppressedError =
  globalThis.SuppressedError ??
  class SuppressedError extends Error {
    name = 'SuppressedError';
    constructor(error, suppressed, message) {
      super(message);
      this.error = error;
      this.suppressed = suppressed;
    }
  };

/** @type {AsyncDisposableStackConstructor} */
export const AsyncDisposableStack =
  globalThis.AsyncDisposableStack ??
  class AsyncDisposableStack {
    #disposers = [];
    disposed = false;

    use(value) {
      if (value === null || value === undefined) return value;
      const dispose = value[Symbol.asyncDispose] ?? value[Symbol.dispose];
      if (typeof dispose !== 'function') throw new TypeError('The value cannot be disposed.');
      this.defer(() => dispose.call(value));
      return value;
    }

    adopt(value, dispose) {
      this.defer(() => dispose(value));
      return value;
    }

    defer(dispose) {
      if (this.disposed) throw new ReferenceError('The stack is disposed.');
      this.#disposers.push(dispose);
    }

    move() {
      if (this.disposed) throw new ReferenceError('The stack is disposed.');
      const moved = new this.constructor();
      moved.#disposers = this.#disposers;
      this.#disposers = [];
      this.disposed = true;
      return moved;
    }

    async disposeAsync() {
      if (this.disposed) return;
      this.disposed = true;
      const failures = [];
      for (let dispose = this.#disposers.pop(); dispose; dispose = this.#disposers.pop()) {
        try {
          await dispose();
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length === 0) return;
      throw failures.reduce((suppressed, error) => new SuppressedError(error, suppressed));
    }

    [Symbol.asyncDispose]() {
      return this.disposeAsync();
    }
  };
