// The public signatures of the package NakamaClient (3.x) that docs/examples/JoinAndClaim.cs uses, and nothing behind them:
// the package's registry cannot be counted on where the tests run, and a compiler needs no more.
using System;
using System.Collections.Generic;
using System.Threading.Tasks;

namespace Nakama
{
    public interface ISession
    {
    }

    public interface IApiRpc
    {
        string Payload { get; }
    }

    public interface IMatch
    {
    }

    public interface IMatchState
    {
        long OpCode { get; }

        byte[] State { get; }
    }

    public interface ISocket
    {
        bool IsConnected { get; }

        event Action<IMatchState> ReceivedMatchState;

        Task ConnectAsync(ISession session, bool appearOnline = false, int connectTimeoutSec = 30, string langTag = "en");

        Task<IMatch> JoinMatchAsync(string matchId, IDictionary<string, string> metadata = null);

        Task SendMatchStateAsync(string matchId, long opCode, string state);

        Task CloseAsync();
    }

    public static class Socket
    {
        public static ISocket From(Client client)
        {
            throw new NotSupportedException("nothing behind the signatures");
        }
    }

    public class Client
    {
        public Client(string scheme, string host, int port, string serverKey)
        {
        }

        public Task<ISession> AuthenticateDeviceAsync(string id, string username = null, bool create = true)
        {
            throw new NotSupportedException("nothing behind the signatures");
        }

        public Task<IApiRpc> RpcAsync(ISession session, string id, string payload)
        {
            throw new NotSupportedException("nothing behind the signatures");
        }
    }
}

namespace Nakama.TinyJson
{
    public static class JsonParser
    {
        public static T FromJson<T>(this string json)
        {
            throw new NotSupportedException("nothing behind the signatures");
        }
    }
}
